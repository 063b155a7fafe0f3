// Connects by the TypeScript SDK, lists and calls the tools, and reads resources.
//
// Usage: sdk_client.mjs PACKAGES TRANSPORT TOKEN TARGET..., where PACKAGES is the directory that holds node_modules, TRANSPORT is
// `http` with a URL, or `stdio` with a command; prints one JSON document.
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const [, , packages, kind, token, ...target] = process.argv;
const require = createRequire(path.join(packages, 'package.json'));
const load = name => import(pathToFileURL(require.resolve(name)).href);

const { Client, StreamableHTTPClientTransport } = await load('@modelcontextprotocol/client');
const client = new Client({ name: 'vestry-test', version: '1.0.0' });
if (kind === 'http') {
  const headers = { Authorization: `Bearer ${token}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(target[0]), { requestInit: { headers } }));
} else {
  const { StdioClientTransport } = await load('@modelcontextprotocol/client/stdio');
  const env = { ...process.env, VESTRY_TOKEN: token };
  await client.connect(new StdioClientTransport({ command: target[0], args: target.slice(1), env }));
}
const { tools } = await client.listTools();
const { resources } = await client.listResources();
const read = await client.readResource({ uri: resources[0].uri });
const name = resources[0].name;
const call = (name, args) => client.callTool({ name, arguments: args });
const catalog = await call('skill_catalog', {});
const loaded = await call('skill', { name });
const wrong = await call('skill', { name: 'nothing' });
console.log(
  JSON.stringify({
    instructions: client.getInstructions(),
    capabilities: client.getServerCapabilities(),
    tools: tools.map(tool => tool.name),
    resources: resources.map(resource => resource.uri),
    read: read.contents[0].text,
    block: catalog.content[0].text,
    loaded: loaded.content[0].text,
    wrong: [wrong.isError, wrong.content[0].text]
  })
);
await client.close();
