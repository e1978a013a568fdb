import type { VariableValue, Variables } from '../assistant/variables.ts'
import { isVariableName } from '../assistant/variables.ts'
import type { AssistantSettings } from './assistant-values.ts'

/** `{{name}}` or `{{name|fallback}}`. */
const placeholder = /\{\{([^{}]{0,300})\}\}/g

interface Placeholder {
  name: string
  /** Used if the variable is missing or empty. */
  fallback: string
}

const read = (inside: string): Placeholder => {
  const [name = '', ...fallback] = inside.split('|')
  return { name: name.trim(), fallback: fallback.join('|').trim() }
}

/** Names that are used, whether valid or not. */
const namesIn = (text: string): string[] => [...text.matchAll(placeholder)].map(([, inside = '']) => read(inside).name)

/** Own fields only: a variable can have the name of a method. */
const valueOf = (variables: Variables, name: string): VariableValue | undefined =>
  Object.hasOwn(variables, name) && variables[name] !== '' ? variables[name] : undefined

/** `show` makes a value safe where it stands. Values are not searched for placeholders. */
export const fillPlaceholders = (text: string, variables: Variables, show: (value: VariableValue) => string): string =>
  text.replace(placeholder, (_, inside: string) => {
    const { name, fallback } = read(inside)
    const value = valueOf(variables, name)
    return value === undefined ? fallback : show(value) || fallback
  })

/** A text that is one placeholder and no more keeps the type of its value. */
export const fillArgument = (text: string, variables: Variables): VariableValue => {
  const inside = /^\{\{([^{}]{0,300})\}\}$/.exec(text.trim())?.[1]
  const value = inside === undefined ? undefined : valueOf(variables, read(inside).name)
  return value ?? fillPlaceholders(text, variables, String)
}

/** Where a text of an assistant goes: to the model, to the caller, into a header, an argument or an SMS. */
export type TextPlace = 'prompt' | 'spoken' | 'header' | 'argument' | 'sms'

type Change = (text: string, place: TextPlace, field: string) => VariableValue

/** All texts in which placeholders are filled. */
export const mapTexts = (settings: AssistantSettings, change: Change): AssistantSettings => {
  const text = (written: string, place: TextPlace, field: string): string => String(change(written, place, field))
  const spoken = <T extends object, K extends string>(holder: T, key: K, field: string): T => {
    const written = (holder as Record<string, unknown>)[key]
    return typeof written === 'string' ? { ...holder, [key]: text(written, 'spoken', field) } : holder
  }
  const { disclosure, keys, tools, limits, topics } = settings
  return {
    ...spoken(settings, 'failed_text', 'failed_text'),
    greeting: text(settings.greeting, 'spoken', 'greeting'),
    prompt: text(settings.prompt, 'prompt', 'prompt'),
    ...(disclosure && { disclosure: mapDisclosure(spoken(disclosure, 'text', 'disclosure/text'), text) }),
    ...(keys && { keys: keys.map((key, at) => spoken(key, 'text', `keys/${at}/text`)) }),
    ...(limits && { limits: spoken(limits, 'text', 'limits/text') }),
    ...(topics && { topics: spoken(topics, 'text', 'topics/text') }),
    ...(tools && { tools: mapTools(tools, change, spoken) }),
  }
}

type Spoken = <T extends object>(holder: T, key: string, field: string) => T

const mapDisclosure = (
  disclosure: NonNullable<AssistantSettings['disclosure']>,
  text: (written: string, place: TextPlace, field: string) => string,
): NonNullable<AssistantSettings['disclosure']> => {
  const { texts } = disclosure
  if (!texts) return disclosure
  const filled = Object.entries(texts).map(([language, one]) => [language, text(one, 'spoken', `disclosure/texts/${language}`)] as const)
  return { ...disclosure, texts: Object.fromEntries(filled) }
}

type Tools = NonNullable<AssistantSettings['tools']>
type HttpTool = NonNullable<Tools['http']>[number]

const mapTools = (tools: Tools, change: Change, spoken: Spoken): Tools => {
  const { http, send_sms: sms } = tools
  return {
    ...tools,
    ...(http && { http: http.map((tool, at) => mapHttpTool(tool, `tools/http/${at}`, change, spoken)) }),
    ...(sms?.templates && {
      send_sms: {
        ...sms,
        templates: sms.templates.map((one, at) => ({
          ...one,
          text: String(change(one.text, 'sms', `tools/send_sms/templates/${at}/text`)),
        })),
      },
    }),
  }
}

const mapHttpTool = (tool: HttpTool, field: string, change: Change, spoken: Spoken): HttpTool => {
  const { headers, arguments: fixed } = tool
  const argument = (name: string, value: VariableValue): VariableValue =>
    typeof value === 'string' ? change(value, 'argument', `${field}/arguments/${name}`) : value
  return {
    ...spoken(tool, 'before_text', `${field}/before_text`),
    ...(headers && {
      headers: headers.map((header, at) =>
        header.value === undefined ? header : { ...header, value: String(change(header.value, 'header', `${field}/headers/${at}/value`)) },
      ),
    }),
    ...(fixed && { arguments: Object.fromEntries(Object.entries(fixed).map(([name, value]) => [name, argument(name, value)])) }),
  }
}

/** Placeholders that nobody can fill, with the field of the first use. */
export const unknownPlaceholders = (settings: AssistantSettings, known: readonly string[]): { name: string; field: string }[] => {
  const unknown = new Map<string, string>()
  mapTexts(settings, (text, _, field) => {
    for (const name of namesIn(text)) if ((!isVariableName(name) || !known.includes(name)) && !unknown.has(name)) unknown.set(name, field)
    return text
  })
  return Array.from(unknown, ([name, field]) => ({ name, field }))
}

/** Fields of an SMS template that the model fills: `{name}`, unlike `{{variables}}`. */
export const templateField = /(?<!\{)\{(\w{1,40})\}(?!\})/g
