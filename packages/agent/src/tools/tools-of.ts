import type { HttpToolSettings, AssistantSettings } from '@offhook/contract/v3/assistant-values.ts'
import type { AgentSettings, Host, Outcome, SmsWish } from '../host.ts'
import type { AgentClock } from '../clock.ts'
import type { Fetch } from '../outbound.ts'
import { calendarTools } from './calendar-tools.ts'
import { httpTool, type HttpToolDeps } from './http-tool.ts'
import { type KeyCollector, type Tool, objectOf, refused, type ToolContext, type ToolRun } from './tool.ts'
import { templateField } from '@offhook/contract/v3/placeholders.ts'
import type { Citation } from '@offhook/contract/v3/agent-notes.ts'
import type { Passage } from '@offhook/contract/v3/knowledge.ts'
import { isDeepStrictEqual } from 'node:util'
import type { RecordedTool } from '@offhook/contract/assistant/scenario.ts'

/** Tools available to the model: only those named by the settings. */
export const toolsOf = (
  { flowId, secrets, assistant: { tools = {}, knowledge }, rehearsal }: AgentSettings,
  { host, fetch, clock }: { host: Host; fetch: Fetch; clock: AgentClock },
  sessionId: string,
  keys: KeyCollector,
  language: () => string,
): Tool[] => [
  ...(tools.hang_up === false ? [] : [hangUpTool]),
  ...(tools.transfer && tools.transfer.length > 0 ? [transferTool(tools.transfer)] : []),
  ...(tools.send_sms ? [sendSmsTool(tools.send_sms, host, sessionId)] : []),
  ...(tools.take_message ? [takeMessageTool(host, sessionId)] : []),
  ...(tools.collect_digits ? [collectDigitsTool(tools.collect_digits, keys)] : []),
  ...(tools.calendar ? calendarTools(tools.calendar, { host, sessionId, language }) : []),
  ...(knowledge && knowledge.use !== 'off' ? [lookUpTool(host, flowId, knowledge.passages ?? 4)] : []),
  ...httpTools(tools.http ?? [], { fetch, clock, secrets }, rehearsal),
]

/** Tests replay recorded answers and send no requests. */
const httpTools = (settings: readonly HttpToolSettings[], deps: HttpToolDeps, rehearsal: AgentSettings['rehearsal']): Tool[] => {
  const tools = settings.map((one) => httpTool(one, deps))
  return rehearsal ? rehearsed(tools, rehearsal) : tools
}

type Targets = NonNullable<NonNullable<AssistantSettings['tools']>['transfer']>

/** The service delays hang-up and transfer until all speech has been heard. */
const hangUpTool: Tool = {
  name: 'hang_up',
  description: 'Ends the call. Say goodbye in the same answer, and only use it when the caller wants nothing else.',
  parameters: objectOf({}),
  run: async () => ({ status: 'ok', content: 'The call ends.', end: { type: 'hangup' } }),
}

/** The model sees names, never numbers. */
const transferTool = (targets: Targets): Tool => ({
  name: 'transfer',
  description: `Connects the caller with somebody else. Say so in the same answer. ${targets.map(({ name, when }) => `${name}: ${when}`).join('; ')}`,
  parameters: objectOf(
    {
      to: { type: 'string', enum: targets.map(({ name }) => name) },
      about: { type: 'string', maxLength: 500, description: 'One sentence for whoever takes the call: who calls, and why' },
    },
    ['to'],
  ),
  run: async ({ to, about }) => {
    const target = targets.find(({ name }) => name === to)
    if (!target) return refused('There is nobody of that name to transfer to.')
    const known = typeof about === 'string' && about.trim() !== '' ? about : undefined
    const briefing = known === undefined ? {} : target.mode === 'warm' ? { briefing: known, summary: known } : { summary: known }
    const mode = target.mode && { mode: target.mode }
    return {
      status: 'ok',
      content: 'The caller is being connected.',
      end: { type: 'transfer', target: target.target, ...mode, ...briefing },
    }
  },
})

type Settings = NonNullable<NonNullable<AssistantSettings['tools']>['collect_digits']>

const cardRule =
  'True for the number, the expiry date or the security code of a payment card: it is not recorded then. Never repeat such digits.'

/** Asks for a number. A spoken number starts a normal turn. */
const collectDigitsTool = ({ most: max = 20, end_key = '#', seconds = 10, card: always = false }: Settings, keys: KeyCollector): Tool => {
  const collect = async (args: Record<string, unknown>, { signal, say, listens, spoken }: ToolContext): Promise<ToolRun> => {
    const digits = typeof args['digits'] === 'number' ? args['digits'] : undefined
    say(String(args['ask']), { expects: 'digits', ...(digits !== undefined && { expects_digits: digits }) })
    listens()
    const pressed = await keys.collect({ most: digits ?? max, endKey: end_key, seconds, signal, spoken })
    return { status: 'ok', content: pressed === '' ? 'The caller pressed nothing.' : { digits: pressed } }
  }
  return {
    name: 'collect_digits',
    description: 'Asks the caller for digits, such as a customer number, and waits until they are pressed on the keypad or spoken.',
    parameters: objectOf(
      {
        ask: { type: 'string', minLength: 1, maxLength: 300, description: 'What is said, such as: Please enter your customer number.' },
        digits: { type: 'integer', minimum: 1, maximum: max, description: 'How many there are, if that is known' },
        ...(!always && { card: { type: 'boolean', description: cardRule } }),
      },
      ['ask'],
    ),
    run: (args, context) => (always || args['card'] === true ? context.confidential(() => collect(args, context)) : collect(args, context)),
  }
}

const lookUpTool = (host: Host, flowId: string, max: number): Tool => ({
  name: 'look_up',
  description: 'Searches the documents that you were given. Use it before you say that you do not know something.',
  parameters: objectOf({ query: { type: 'string', minLength: 1, maxLength: 500, description: 'The question, with all its words' } }, [
    'query',
  ]),
  run: async ({ query }) => {
    const passages = await host.lookUp(flowId, String(query), max)
    return { status: 'ok', content: passages.length === 0 ? 'Nothing was found.' : passages.map(wordsOf), passages }
  },
})

export const wordsOf = ({ document, heading, page, text }: Passage): string =>
  `${[document, heading, page === undefined ? undefined : `page ${page}`].filter(Boolean).join(', ')}: ${text}`

/** Citation for the timeline: location and first 300 characters. */
export const citationOf = ({ documentId, document, heading, page, text, score }: Passage): Citation => ({
  documentId,
  document,
  ...(heading !== undefined && { heading }),
  ...(page !== undefined && { page }),
  score,
  text: text.slice(0, 300),
})

type SmsSettings = NonNullable<NonNullable<AssistantSettings['tools']>['send_sms']>

const runOf = (outcome: Outcome, done: string): ToolRun => ('done' in outcome ? { status: 'ok', content: done } : refused(outcome.refused))

/** Sends only to the caller, at most `per_call` times. */
const sendSmsTool = ({ templates = [], free_text = false, per_call = 1 }: SmsSettings, host: Host, sessionId: string): Tool => {
  let sent = 0
  const texts = templates.map(({ name, text }) => `${name}: “${text}”`).join('; ')
  const properties = {
    ...(templates.length > 0 && {
      template: { type: 'string', enum: templates.map(({ name }) => name) },
      fields: { type: 'object', additionalProperties: { type: 'string', maxLength: 200 }, description: 'What stands in the braces' },
    }),
    ...(free_text && { text: { type: 'string', minLength: 1, maxLength: 600 } }),
  }
  return {
    name: 'send_sms',
    description: `Sends an SMS to the caller's own number, at most ${per_call} in a call. ${texts}`,
    parameters: objectOf(properties, free_text && templates.length > 0 ? [] : templates.length > 0 ? ['template'] : ['text']),
    run: async ({ template, fields = {}, text }) => {
      const input = smsOf(templates, { template, fields, text })
      if (!input) return refused('Give a template with all its fields, or a text.')
      if (sent >= per_call) return refused(`No more than ${per_call} may be sent in a call.`)
      sent += 1 // counted first because the model may request several concurrently
      const outcome = await host.sendSms(sessionId, input).catch((error: unknown): Outcome => ({ refused: (error as Error).message }))
      if ('refused' in outcome) sent -= 1
      return runOf(outcome, 'The SMS is on its way.')
    },
  }
}

const smsOf = (
  templates: NonNullable<SmsSettings['templates']>,
  { template, fields, text }: { template: unknown; fields: unknown; text: unknown },
): SmsWish | undefined => {
  if (template === undefined) return typeof text === 'string' ? { text } : undefined
  const known = templates.find(({ name }) => name === template)
  if (!known) return undefined
  const given = fields as Record<string, string>
  const wanted = [...known.text.matchAll(templateField)].map(([, name]) => name ?? '')
  if (!wanted.every((name) => Object.hasOwn(given, name))) return undefined
  return { template: known.name, fields: Object.fromEntries(wanted.map((name) => [name, given[name] ?? ''])) }
}

const takeMessageTool = (host: Host, sessionId: string): Tool => ({
  name: 'take_message',
  description: 'Takes a message from the caller to the people who own this line. Ask for the name and the wish first.',
  parameters: objectOf(
    {
      name: { type: 'string', maxLength: 100, description: 'Who it is from' },
      phone: { type: 'string', maxLength: 40, description: 'Where they can be called back, if it is not the number that they call from' },
      text: { type: 'string', minLength: 1, maxLength: 2000 },
    },
    ['text'],
  ),
  run: async ({ name, phone, text }) => {
    const message = { text: String(text), ...(typeof name === 'string' && { name }), ...(typeof phone === 'string' && { phone }) }
    return runOf(await host.takeMessage(sessionId, message), 'The message was taken.')
  },
})

/**
 * Tools that replay recorded answers. The same arguments get the same answer, otherwise each use gets the next recorded one. A use without a
 * recorded answer is an error for the model, never a request.
 */
const rehearsed = (tools: readonly Tool[], recorded: readonly RecordedTool[]): Tool[] => {
  const left = [...recorded]
  const answerTo = (name: string, args: object): RecordedTool | undefined => {
    const asBefore = (one: RecordedTool): boolean =>
      one.name === name && (one.arguments === undefined || isDeepStrictEqual(one.arguments, args))
    const next = left.find(asBefore) ?? recorded.find(asBefore) ?? left.find((one) => one.name === name)
    if (next && left.includes(next)) left.splice(left.indexOf(next), 1)
    return next
  }
  return tools.map((tool) => ({
    ...tool,
    run: (args) => Promise.resolve(rehearsedRunOf(tool.name, answerTo(tool.name, args))),
  }))
}

const rehearsedRunOf = (name: string, answer: RecordedTool | undefined): ToolRun => {
  if (!answer) return { status: 'failed', content: { error: `This is a test, and it has no answer of ${name}.` } }
  const { result = 'done', status = 200 } = answer
  if (status >= 200 && status < 300) return { status: 'ok', content: result }
  return { status: 'failed', content: { error: `the tool answered ${status}`, answer: result } }
}
