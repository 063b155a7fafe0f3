/** What the server is asked for a prompt template, and what it answers. */

/** What a prompt template is wanted for; of a library what its files are for, and not what they say. */
export interface PromptRequest {
  workflow: string;
  role: string;
  primary_role?: string | undefined;
  repository?: string | undefined;
  key?: string | undefined;
  library?: { file: string; frontmatter?: string | undefined }[];
  turn?: string | undefined;
  session?: string | undefined;
}

/** The template that was selected, if one matches, and the default that comes with Vestry, if there is one. */
export interface PromptTemplate {
  workflow: string;
  role: string;
  selected?: { source: string; file?: string; template?: string; template_sha256?: string; revision?: number; digest?: string };
  bundled?: { key: string; source: string; template: string; template_sha256: string };
}
