import { assistantTemplates, templateLanguages, templateNames } from '@offhook/contract/v3/assistant-templates.ts'
import type { TemplateLanguage, TemplateName } from '@offhook/contract/v3/assistant-templates.ts'
import { webAddress } from '../listen.ts'
import { Mistake } from '../terminal/mistake.ts'
import type { PackageName } from './project-setup.ts'

/** As they are typed. */
export interface PromptOptions {
  url?: string
  model?: string
  template?: string
  language?: string
}

/** What is written for an assistant from a prompt. */
export interface PromptAssistant {
  template: TemplateName
  language: TemplateLanguage
  url: string
  model: string
}

/** What it is made with. */
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

/** The program; its first two lines say how it is run and talked to. */
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

/** As a program would be written by hand: on one line where that has room. */
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
