import { mkdir, readdir, readFile, writeFile, lstat, symlink } from 'node:fs/promises'
import { join, relative, resolve, basename, dirname } from 'node:path'
import { inClone, templateFolder, repository } from '#places.ts'
import { type PackageName, type ProjectSetup, finds } from './init/project-setup.ts'
import { Mistake } from './terminal/mistake.ts'
import { version } from '#settings/version.ts'
import {
  assistantTemplates,
  templateLanguages,
  templateNames,
  type TemplateLanguage,
  type TemplateName,
} from '@offhook/contract/v3/assistant-templates.ts'
import { webAddress } from './listen.ts'

export interface InitOptions extends PromptOptions {
  /** JavaScript, regardless of the Node version. */
  js?: boolean
  /** Whether to write a prompt assistant. */
  llm?: boolean
}

/** Files to write: the program first, then the others. */
interface Written {
  needs: PackageName
  /** Argument for `offhook dev`. */
  endpoint: string
  program: (run: string, said: ProjectSetup, asJs: boolean) => Promise<string>
  beside: (run: string, said: ProjectSetup) => Record<string, string>
}

/** Commands in the template, which run it inside the repository. */
const [runsThere, talksThere] = ['npx node examples/first-assistant/assistant.ts', 'npx offhook']
/** The only TypeScript syntax in it. */
const typed = ['new Map<string, string>()', 'new Map()'] as const

const byHand: Written = {
  needs: '@offhook/sdk',
  endpoint: '--endpoint http://127.0.0.1:3000',
  program: async (run, { offhook }, asJs) => {
    const text = await readFile(join(templateFolder, 'assistant.ts'), 'utf8')
    const here = text.replace(runsThere, run).replace(talksThere, offhook)
    return asJs ? here.replace(...typed) : here
  },
  beside: () => ({}),
}

const fromPrompt = (options: PromptOptions): Written => {
  const endpoint = '--ws ws://127.0.0.1:3001 --events'
  const input = readPromptOptions(options)
  const talk = ({ offhook }: ProjectSetup): string => `${offhook} dev ${endpoint}`
  return {
    needs: promptPackage,
    endpoint,
    program: async (run, said) => promptProgram(input, run, talk(said)),
    beside: (run, said) => ({ '.env.example': environmentExample(input), 'README.md': promptReadme(run, talk(said)) }),
  }
}

/** Writes a first assistant into a folder, and prints how to run it. */
export const init = async (folder = '.', { js = false, llm = false, ...options }: InitOptions = {}): Promise<void> => {
  const [unused] = Object.keys(options)
  if (unused !== undefined && !llm) throw new Mistake(2, `--${unused} is for an assistant from a prompt: offhook init --llm --${unused} …`)
  const target = resolve(folder)
  const written = llm ? fromPrompt(options) : byHand
  const { file, said } = await write(target, written, js).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST')
      throw new Mistake(
        1,
        `${shown(error.path ?? target)} is there already, and stays as it is. Name another folder: offhook init my-assistant`,
      )
    throw new Mistake(1, `Nothing can be written there: ${error.message}`)
  })
  const { added, prepare, node, offhook } = said
  console.log(`${shown(file)} is a first assistant${added}. Run it:

${[...prepare, `${node} ${shown(file)}`].map((line) => `  ${line}`).join('\n')}

and then, in another terminal:

  ${offhook} dev ${written.endpoint}`)
}

const write = async (folder: string, { needs, program, beside }: Written, js: boolean): Promise<{ file: string; said: ProjectSetup }> => {
  await mkdir(folder, { recursive: true })
  const said = await (inClone ? inFolderOfClone(folder, needs) : inFolderOfProject(folder, needs))
  const asJs = js || said.needsJs
  const file = join(folder, `assistant.${said.isModule ? '' : 'm'}${asJs ? 'js' : 'ts'}`)
  const run = `${said.node} ${shown(file)}`
  await writeFile(file, await program(run, said, asJs), { flag: 'wx' })
  for (const [name, text] of Object.entries(beside(run, said))) await writeFile(join(folder, name), text, { flag: 'wx' })
  await said.equip()
  return { file, said }
}

const shown = (file: string): string => relative('.', file)

/** In a clone: runs immediately, offline, with the packages of the clone. */
export const inFolderOfClone = async (folder: string, needs: PackageName): Promise<ProjectSetup> => {
  const place = join(folder, 'node_modules', needs)
  const isMissing = !finds(folder, needs) && (await lstat(place).catch(() => undefined)) === undefined
  return {
    needsJs: false,
    isModule: true,
    equip: async () => {
      if (isMissing) await link(needs, place)
    },
    added: isMissing ? `; node_modules/${needs} is what it is made with` : '',
    prepare: [],
    ...commands(),
  }
}

const link = async (name: PackageName, place: string): Promise<void> => {
  await mkdir(dirname(place), { recursive: true })
  await symlink(join(repository, 'packages', basename(name)), place)
}

/** In Offhook's folder npx finds the local programs; elsewhere it would look for them on npm. The system's Node may be too old for TypeScript. */
const commands = (): { node: string; offhook: string } => {
  if (!relative(repository, '.').startsWith('..')) return { node: 'npx node', offhook: 'npx offhook' }
  const isOurs = process.execPath.startsWith(join(repository, 'node_modules'))
  return { node: isOurs ? process.execPath : 'node', offhook: `node ${join(repository, 'bin/offhook.mjs')}` }
}

interface Manifest {
  type?: string
}

/** With the published package: a new project, or the existing one, into which npm installs the package. */
export const inFolderOfProject = async (folder: string, needs: PackageName, node = nodeOfCaller()): Promise<ProjectSetup> => {
  const present = await readManifest(folder)
  const isEmpty = present !== undefined && (await readdir(folder)).every((name) => withoutCode.test(name))
  const go = relative('.', folder)
  const install = present === undefined ? 'npm install' : `npm install --save-exact ${needs}@${version()}`
  const steps = finds(folder, needs) ? [] : [go === '' ? install : `(cd ${go} && ${install})`]
  return {
    needsJs: !readsTypes(node),
    isModule: present === undefined || isEmpty || present.type === 'module',
    equip: async () => {
      if (isEmpty && present.type !== 'module') await writeFile(join(folder, 'package.json'), written({ ...present, type: 'module' }))
      if (present === undefined) await writeFile(join(folder, 'package.json'), manifestFor(folder, needs), { flag: 'wx' })
    },
    added: present === undefined ? ', and package.json says what it needs' : '',
    prepare: steps,
    node: 'node',
    offhook: 'npx offhook',
  }
}

const readManifest = async (folder: string): Promise<Manifest | undefined> => {
  const text = await readFile(join(folder, 'package.json'), 'utf8').catch(() => undefined)
  return text === undefined ? undefined : (JSON.parse(text) as Manifest)
}

/** Entries of a project in which no file depends on its `type`. */
const withoutCode = /^(\..*|package(-lock)?\.json|node_modules|data|.*\.(md|ya?ml|tgz))$/i

const manifestFor = (folder: string, needs: PackageName): string => {
  const name =
    basename(folder)
      .toLowerCase()
      .replaceAll(/[^a-z0-9-]+/g, '-')
      .replaceAll(/^-+|-+$/g, '') || 'assistant'
  return written({ name, private: true, type: 'module', dependencies: { [needs]: version() } })
}

const written = (manifest: object): string => `${JSON.stringify(manifest, null, 2)}\n`

/**
 * The Node of the terminal will run the assistant. The current one may be newer: bundled with us, started by `bin/offhook.mjs`,
 * or found by npx next to us.
 */
export const nodeOfCaller = (environment: Record<string, string | undefined> = process.env): string => {
  const { NODE_OF_CALLER, npm_config_user_agent: npx = '' } = environment
  return NODE_OF_CALLER ?? /\bnode\/v([\d.]+)/.exec(npx)?.[1] ?? process.versions.node
}

/** Node strips types by default since 22.18. */
export const readsTypes = (node: string): boolean => {
  const [major = 0, minor = 0] = node.split('.').map(Number)
  return major > 23 || (major === 22 && minor >= 18) || (major === 23 && minor >= 6)
}

/** Command-line options. */
export interface PromptOptions {
  url?: string
  model?: string
  template?: string
  language?: string
}

/** Contents of a prompt assistant. */
export interface PromptAssistant {
  template: TemplateName
  language: TemplateLanguage
  url: string
  model: string
}

/** Package that it uses. */
export const promptPackage: PackageName = '@offhook/agent'

const regions: Readonly<Record<TemplateLanguage, string>> = { en: 'en-US', de: 'de-DE' }

export const readPromptOptions = ({
  url = 'http://127.0.0.1:11434/v1',
  model = 'qwen3:4b',
  template = 'reception',
  language = 'en',
}: PromptOptions): PromptAssistant => ({
  template: oneOf('--template', templateNames, template.replaceAll('-', '_')),
  language: oneOf('--language', templateLanguages, language),
  url: webAddress(url).replace(/\/$/, ''),
  model,
})

const oneOf = <T extends string>(option: string, values: readonly T[], given: string): T => {
  const value = values.find((one) => one === given)
  if (value === undefined) throw new Mistake(2, `${option} ${given}? There are: ${values.join(', ')}`)
  return value
}

/** Source of the program; its first two lines say how to run it and talk to it. */
export const promptProgram = ({ template, language, url, model }: PromptAssistant, run: string, talk: string): string => {
  // The documents of a flow are in the service; a program has its own `lookUp`.
  const { knowledge: _, ...settings } = assistantTemplates[template][language].settings
  const fields = Object.entries(settings).map(([name, value]) => `    ${name}: ${printed(value, 4, name.length + 6)},`)
  return `// An assistant from a prompt. Run it:            ${run}
// and talk to it, from another terminal:         ${talk}
import { existsSync } from 'node:fs'
import { listenAlone } from '${promptPackage}'

const secrets = new URL('.env', import.meta.url)
if (existsSync(secrets)) process.loadEnvFile(secrets)
const { MODEL_URL = ${quoted(url)}, MODEL_NAME = ${quoted(model)}, MODEL_KEY, API_KEY, PORT = '3001' } = process.env

const { url } = await listenAlone(
  {
    model: { url: MODEL_URL, name: MODEL_NAME, api_key: MODEL_KEY || null },
${fields.join('\n')}
  },
  {
    language: ${quoted(regions[language])},
    port: Number(PORT),
    ...(API_KEY && { apiKey: API_KEY }),
    own: {
      // What callers leave: send it by mail, make a ticket of it.
      takeMessage: async (call, { name, phone, text }) => {
        console.log(\`A message from \${name ?? phone ?? call}: \${text}\`)
        return { done: true }
      },
    },
  },
)
console.log(url)
`
}

const width = 140

/** Formats like handwritten code: on one line where it fits. */
const printed = (value: unknown, indent: number, taken: number): string => {
  if (typeof value === 'string') return quoted(value)
  if (value === null || typeof value !== 'object') return String(value)
  const short = onOneLine(value)
  if (indent + taken + short.length <= width && !short.includes('\n')) return short
  const inner = ' '.repeat(indent + 2)
  const lines = Array.isArray(value)
    ? value.map((item: unknown) => `${inner}${printed(item, indent + 2, 1)},`)
    : Object.entries(value).map(([name, item]) => `${inner}${name}: ${printed(item, indent + 2, name.length + 3)},`)
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}']
  return [open, ...lines, `${' '.repeat(indent)}${close}`].join('\n')
}

const onOneLine = (value: object): string => {
  const one = (item: unknown): string => (item !== null && typeof item === 'object' ? onOneLine(item) : printed(item, 0, 0))
  if (Array.isArray(value)) return `[${value.map(one).join(', ')}]`
  const fields = Object.entries(value).map(([name, item]) => `${name}: ${one(item)}`)
  return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`
}

const quoted = (text: string): string => {
  if (text.includes('\n')) return `\`${text.replaceAll(/[\\`]|\$\{/g, String.raw`\$&`)}\``
  return text.includes("'") ? JSON.stringify(text) : `'${text.replaceAll('\\', '\\\\')}'`
}

export const environmentExample = ({ url, model }: PromptAssistant): string => `# Copy it to .env and fill it in.

# Any address that speaks OpenAI's chat completions, up to where /chat/completions follows. This is what \`ollama run ${model}\` opens:
MODEL_URL=${url}
MODEL_NAME=${model}
MODEL_KEY=

# The flow's API key. Without it, anybody who reaches the port may talk to the assistant.
API_KEY=
`

export const promptReadme = (run: string, talk: string): string => `# An assistant from a prompt

It answers calls with a language model. What it knows, says and may do stands in its settings.

\`\`\`sh
${run.padEnd(talk.length)}   # in one terminal
${talk.padEnd(run.length)}   # in another: a flow for it, and everything that happens
\`\`\`

Which model it asks stands in \`.env\`; \`.env.example\` names the fields. While no model answers, callers are greeted, hear \`failed_text\`, and the keys work.

It speaks Offhook's interface for assistants, as any program can: events and actions over a WebSocket. The same settings work inside the service, without a program: put them
under \`/v3/ai-flows/{aiFlowId}/assistant\`, or write them in the console. There calls also have versions, knowledge, SMS, results and limits by day.
`
