import { Problem } from '@offhook/contract/problem.ts'
import { callIdOf, type Session } from '@offhook/contract/assistant/session.ts'
import { CalendarRequests, type CalendarAnswer, type CalendarRequest } from './calendar-requests.ts'
import { addMessage } from '../results/note-result.ts'
import { isTalk } from '#core/telephone/talks/talks.ts'
import { queueMail } from '#core/kernel/mail/queue-mail.ts'
import type { StoredAssistant } from '#core/kernel/ports/store/assistant.ts'
import type { OpenSession, AssistantChoice } from '#core/kernel/ports/store/session.ts'
import type { RecordedTool } from '@offhook/contract/assistant/scenario.ts'
import type { AssistantSettings } from '@offhook/contract/v3/assistant-values.ts'
import type { Variables } from '@offhook/contract/assistant/variables.ts'
import { fillPlaceholders, templateField } from '@offhook/contract/v3/placeholders.ts'
import { openSecrets } from '#core/account/assistants/secrets.ts'
import { secretsInForce } from '#core/account/flows/flow-secrets.ts'
import type { AgentSettings } from '#core/kernel/ports/assistant.ts'
import type { Clock, Vault } from '#core/kernel/ports/platform.ts'
import type { Store, Tables } from '#core/kernel/ports/store/index.ts'

/** Sends an SMS on behalf of the account, at its expense. Throws a Problem if it cannot be sent. */
export type OrderSms = (order: { accountId: string; called: string; recipient: string; text: string }) => Promise<void>

interface AgentWishesDeps extends AgentSettingsDeps {
  orderSms: OrderSms
  /** Called after an insert into the outbox. */
  wake: () => void
  onError: (error: unknown) => void
  /** Test conversations: they send no messages and store no data. */
  rehearsals: Rehearsals
}

interface MessageTaken {
  name?: string
  phone?: string
  text: string
}

interface Spending {
  prompt: number
  completion: number
  cost?: { amount: number; currency: string }
}

/** `refused`: a sentence for the model. */
type Outcome = { done: true } | { refused: string }

interface OpenWork {
  session: OpenSession
  settings: StoredAssistant
  /** A user of the account is trying the assistant: no messages are sent. */
  tried: boolean
}

const dayMs = 24 * 60 * 60 * 1000
const done: Outcome = { done: true }
const refused = (why: string): { refused: string } => ({ refused: why })
const maxMessageLength = 4_000

/** Requests of an agent during a call. The settings of the session's version decide each one, because a caller can talk a model into anything. */
export class AgentInputs {
  readonly #deps: AgentWishesDeps

  readonly #calendars: CalendarRequests

  constructor(deps: AgentWishesDeps) {
    this.#deps = deps
    this.#calendars = new CalendarRequests(deps)
  }

  /** Books only in the calendar of the settings. A test conversation reads it and stores nothing. */
  async calendar(sessionId: string, language: string, request: CalendarRequest): Promise<CalendarAnswer> {
    const { rehearsals, store, orderSms } = this.#deps
    const rehearsal = rehearsals.of(sessionId)
    const work = rehearsal ? undefined : await this.#find(sessionId)
    const settings = rehearsal ? await keptSettings(store.read, rehearsal.accountId, rehearsal.flowId, rehearsal.choice) : work?.settings
    const accountId = rehearsal?.accountId ?? work?.session.accountId
    const rules = settings?.tools?.calendar
    if (accountId === undefined || !rules) return refused('This assistant has no calendar.')
    const recipient = work && personOf(work.session.session)
    const called = work?.session.session.phone_number ?? ''
    return this.#calendars.answer(
      {
        accountId,
        rules,
        language,
        callId: sessionId,
        caller: recipient,
        rehearsal,
        sends: work !== undefined && !work.tried,
        sendSms: async (text) =>
          recipient !== undefined && 'done' in (await this.#order(() => orderSms({ accountId, called, recipient, text }))),
      },
      request,
    )
  }

  /** Sends to the caller only. */
  async sendSms(sessionId: string, input: SmsInput): Promise<Outcome> {
    if (this.#deps.rehearsals.of(sessionId)) return done
    const work = await this.#find(sessionId)
    const rules = work?.settings.tools?.send_sms
    if (!work || !rules) return refused('This assistant may not send SMS.')
    if (work.tried) return refused('No SMS is sent while an assistant is tried out.')
    const { accountId, session } = work.session
    const recipient = personOf(session)
    if (recipient === undefined) return refused('The number of the caller is not known.')
    const text = smsText(rules, input, session.variables)
    if ('refused' in text) return text
    const { store, orderSms } = this.#deps
    const counted = await store.write(({ sessions }) => sessions.countSms(sessionId, rules.per_call ?? 1))
    if (!counted) return refused('No more SMS can be sent in this call.')
    return this.#order(() => orderSms({ accountId, called: session.phone_number, recipient, text: text.text }))
  }

  /** Stores the message with the call's result and notifies the configured recipients. */
  async takeMessage(sessionId: string, { name, phone, text }: MessageTaken): Promise<Outcome> {
    if (this.#deps.rehearsals.of(sessionId)) return done
    const work = await this.#find(sessionId)
    const { take_message: rules } = work?.settings.tools ?? {}
    const hasKey = work?.settings.keys?.some(({ does }) => does === 'take_message') ?? false
    if (!work || (!rules && !hasKey)) return refused('This assistant may not take messages.')
    if (text.trim() === '') return refused('The message is empty.')
    const { store, clock, vault, wake } = this.#deps
    const { accountId, flowId, session } = work.session
    const message = {
      text: text.slice(0, maxMessageLength),
      ...(name && { name: name.slice(0, 200) }),
      ...(phone && { phone: phone.slice(0, 40) }),
    }
    const caller = personOf(session) ?? 'anonymous'
    const kept = await store.write(async (tables) => {
      if (!(await addMessage(tables, sessionId, { ...message, at: clock.now() }))) return false
      const [account, flow] = await Promise.all([tables.accounts.find(accountId), tables.flows.find(accountId, flowId)])
      if (rules?.email === undefined || !account || work.tried) return true
      const values = { caller, flow: flow?.name ?? '', name: name ?? '–', phone: phone ?? caller, text: message.text }
      await queueMail(
        tables,
        { clock, vault },
        { accountId, to: rules.email, locale: account.locale, template: 'assistant_message', values },
      )
      return true
    })
    if (!kept) return refused('No more messages can be taken in this call.')
    wake()
    if (rules?.sms !== undefined && !work.tried) this.#notifyBySms(work.session, rules.sms, `${name ?? phone ?? caller}: ${message.text}`)
    return done
  }

  /** Counts the tokens used; returns whether the flow may use more today. */
  async spend(sessionId: string, { prompt, completion, cost }: Spending): Promise<{ mayContinue: boolean }> {
    const { store, clock, rehearsals } = this.#deps
    const rehearsal = rehearsals.of(sessionId)
    return store.write(async (tables) => {
      const had = rehearsal ? { ...rehearsal, assistant: rehearsal.choice } : await tables.sessions.assistantOf(sessionId)
      const settings = had && (await keptSettings(tables, had.accountId, had.flowId, had.assistant))
      if (!had || !settings) return { mayContinue: false }
      const spent = { prompt: whole(prompt), completion: whole(completion) }
      const day = Math.floor(clock.now() / dayMs)
      const today = await tables.assistants.addTokens(had.accountId, had.flowId, day, spent.prompt + spent.completion)
      const paid = cost && { cost: { micros: whole(cost.amount * 1e6), currency: cost.currency } }
      if (!rehearsal) await tables.results.spend(sessionId, { ...spent, ...paid })
      return { mayContinue: today < (settings.limits?.tokens_per_day ?? Infinity) }
    })
  }

  /** Finds a session only while its call lasts. */
  async #find(sessionId: string): Promise<OpenWork | undefined> {
    const { read } = this.#deps.store
    const session = await read.sessions.findOpen(sessionId)
    if (session?.assistant === undefined) return undefined
    const settings = await keptSettings(read, session.accountId, session.flowId, session.assistant)
    const tried = session.assistant === 'draft' || (await isTalk(read, session.accountId, callIdOf(sessionId)))
    return settings && { session, settings, tried }
  }

  async #order(order: () => Promise<void>): Promise<Outcome> {
    try {
      await order()
      return done
    } catch (error) {
      if (error instanceof Problem) return refused(`The SMS could not be sent: ${error.message}`)
      throw error
    }
  }

  /** Sent in the background: the message is stored either way. */
  #notifyBySms({ accountId, session }: OpenSession, recipient: string, text: string): void {
    const { orderSms, onError } = this.#deps
    void orderSms({ accountId, called: session.phone_number, recipient, text: text.slice(0, 600) }).catch(onError)
  }
}

/** Number of the person who talks with the assistant (E.164). */
const personOf = ({ direction, from_phone_number: from, to_phone_number: to }: Session): string | undefined => {
  const digits = direction === 'inbound' ? from : to
  return digits !== undefined && /^[1-9]\d{4,14}$/.test(digits) ? `+${digits}` : undefined
}

const whole = (count: number): number => (Number.isFinite(count) ? Math.max(0, Math.round(count)) : 0)

/** A test conversation: its actions have no external effect. */
interface Rehearsal {
  accountId: string
  flowId: string
  choice: AssistantChoice
  /** Recorded HTTP tool answers. */
  tools: readonly RecordedTool[]
}

/** Running test conversations by session id. Each belongs to the process of its agent. */
export class Rehearsals {
  readonly #held = new Map<string, Rehearsal>()

  /** Returns a function that ends it. */
  begin(sessionId: string, rehearsal: Rehearsal): () => void {
    this.#held.set(sessionId, rehearsal)
    return () => void this.#held.delete(sessionId)
  }

  of(sessionId: string): Rehearsal | undefined {
    return this.#held.get(sessionId)
  }
}

/** A template with its field values, or text by the model. */
type SmsInput = { template: string; fields: Record<string, string> } | { text: string }

type Rules = NonNullable<NonNullable<AssistantSettings['tools']>['send_sms']>

const maxTextLength = 600
const maxFieldLength = 200

/** Text of the SMS, or the reason for a rejection. */
const smsText = (
  { templates = [], free_text: free = false }: Rules,
  input: SmsInput,
  variables: Variables = {},
): { text: string } | { refused: string } => {
  if ('text' in input) return free ? checked(input.text) : { refused: 'Only the templates may be sent.' }
  const template = templates.find(({ name }) => name === input.template)
  if (!template) return { refused: `There is no template of this name. There are: ${templates.map(({ name }) => name).join(', ')}.` }
  const missing = fieldsOf(template.text).filter((name) => !Object.hasOwn(input.fields, name))
  if (missing.length > 0) return { refused: `The template needs ${missing.join(', ')}.` }
  const show = (value: unknown): string => oneLine(String(value)).slice(0, maxFieldLength)
  // Alternating pieces, so that neither kind of value is searched for the other's braces.
  const pieces = template.text.split(/(\{\{[^{}]*\}\})/)
  const filled = pieces.map((piece, at) =>
    at % 2 === 1 ? fillPlaceholders(piece, variables, show) : piece.replace(templateField, (_, name: string) => show(input.fields[name])),
  )
  return checked(filled.join(''))
}

const fieldsOf = (text: string): string[] => [...new Set([...text.matchAll(templateField)].map(([, name = '']) => name))]

/** Keeps a field on one line, because a line break could fake another message. */
const oneLine = (text: string): string => text.replace(/[\s\p{Cc}]+/gu, ' ').trim()

const checked = (text: string): { text: string } | { refused: string } => {
  const plain = text.replace(/[^\P{Cc}\n]/gu, ' ').trim()
  if (plain === '') return { refused: 'The message is empty.' }
  return plain.length > maxTextLength ? { refused: `The message is longer than ${maxTextLength} characters.` } : { text: plain }
}

interface AgentSettingsDeps {
  store: Store
  clock: Clock
  vault: Vault
}

/** Rejects an unknown version. */
export const readAgentSettings = async (
  { store, clock, vault }: AgentSettingsDeps,
  accountId: string,
  flowId: string,
  version: AgentSettings['version'],
): Promise<AgentSettings> => {
  const { read } = store
  const [account, flow, kept] = await Promise.all([
    read.accounts.find(accountId),
    read.flows.find(accountId, flowId),
    keptSettings(read, accountId, flowId, version),
  ])
  if (!account || !flow || !kept) throw new Error(`there is no version ${version} of this assistant`)
  return {
    flowId,
    version,
    language: flow.settings.language ?? account.locale.slice(0, 2),
    secrets: secretsInForce(flow.settings, clock.now()).map(({ sealed }) => vault.open(sealed)),
    assistant: openSecrets(vault, kept),
    ...(flow.settings.variables && { variables: flow.settings.variables }),
  }
}

/** Settings with sealed secrets; rule checks do not need them. */
const keptSettings = async (
  { assistants }: Tables,
  accountId: string,
  flowId: string,
  version: number | 'draft' | 'none',
): Promise<StoredAssistant | undefined> => {
  if (version === 'none') return undefined
  const kept = version === 'draft' ? assistants.draft(accountId, flowId) : assistants.version(accountId, flowId, version)
  return (await kept)?.settings
}
