import { Problem } from '@offhook/contract/problem.ts'
import type { Session } from '@offhook/contract/assistant/session.ts'
import { addMessage } from '../results/note-result.ts'
import { isTalk } from '#core/telephone/talks/is-talk.ts'
import { queueMail } from '#core/kernel/mail/queue-mail.ts'
import type { StoredAssistant } from '#core/kernel/ports/store/assistant/assistants.ts'
import type { OpenSession } from '#core/kernel/ports/store/assistant/sessions.ts'
import { keptSettings, type AgentSettingsDeps } from './agent-settings.ts'
import type { Rehearsals } from './rehearsals.ts'
import { smsText, type SmsInput } from './sms-text.ts'

/** An SMS in the name of the account, at its expense. Throws a Problem when it cannot be sent. */
export type OrderSms = (order: { accountId: string; called: string; recipient: string; text: string }) => Promise<void>

export interface AgentWishesDeps extends AgentSettingsDeps {
  orderSms: OrderSms
  /** Something was put into the outbox. */
  wake: () => void
  onError: (error: unknown) => void
  /** Conversations that are only tests: nobody is written to, and nothing is kept. */
  rehearsals: Rehearsals
}

export interface MessageTaken {
  name?: string
  phone?: string
  text: string
}

export interface Spending {
  prompt: number
  completion: number
  cost?: { amount: number; currency: string }
}

/** `refused`: a sentence for the model. */
export type Outcome = { done: true } | { refused: string }

interface OpenWork {
  session: OpenSession
  settings: StoredAssistant
  /** Somebody of the account talks with it: nobody is written to. */
  tried: boolean
}

const dayMs = 24 * 60 * 60 * 1000
const done: Outcome = { done: true }
const refused = (why: string): Outcome => ({ refused: why })
const maxMessageLength = 4_000

/**
 * What an agent asks for in a call. Whatever it says, the settings of the version that the session has decide: a model does what callers talk it
 * into.
 */
export class AgentInputs {
  readonly #deps: AgentWishesDeps

  constructor(deps: AgentWishesDeps) {
    this.#deps = deps
  }

  /** To whoever is on the phone, and to nobody else. */
  async sendSms(sessionId: string, input: SmsInput): Promise<Outcome> {
    if (this.#deps.rehearsals.of(sessionId)) return done
    const work = await this.#find(sessionId)
    const rules = work?.settings.tools?.send_sms
    if (!work || !rules) return refused('This assistant may not send SMS.')
    if (work.tried) return refused('No SMS is sent while an assistant is tried out.')
    const { accountId, session } = work.session
    const recipient = personOf(session)
    if (recipient === undefined) return refused('The number of the caller is not known.')
    const text = smsText(rules, input)
    if ('refused' in text) return text
    const { store, orderSms } = this.#deps
    const counted = await store.write(({ sessions }) => sessions.countSms(sessionId, rules.per_call ?? 1))
    if (!counted) return refused('No more SMS can be sent in this call.')
    return this.#order(() => orderSms({ accountId, called: session.phone_number, recipient, text: text.text }))
  }

  /** Kept with the result of the call; whoever the settings name is told. */
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

  /** Counts what the model used; whether the flow may use more today. */
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

  /** Only while the call lasts. */
  async #find(sessionId: string): Promise<OpenWork | undefined> {
    const { read } = this.#deps.store
    const session = await read.sessions.findOpen(sessionId)
    if (session?.assistant === undefined) return undefined
    const settings = await keptSettings(read, session.accountId, session.flowId, session.assistant)
    const tried = session.assistant === 'draft' || (await isTalk(read, session.accountId, sessionId))
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

  /** The message is kept in any case: whoever left it does not wait for that. */
  #notifyBySms({ accountId, session }: OpenSession, recipient: string, text: string): void {
    const { orderSms, onError } = this.#deps
    void orderSms({ accountId, called: session.phone_number, recipient, text: text.slice(0, 600) }).catch(onError)
  }
}

/** Who talks with the assistant: E.164. */
const personOf = ({ direction, from_phone_number: from, to_phone_number: to }: Session): string | undefined => {
  const digits = direction === 'inbound' ? from : to
  return digits !== undefined && /^[1-9]\d{4,14}$/.test(digits) ? `+${digits}` : undefined
}

const whole = (count: number): number => (Number.isFinite(count) ? Math.max(0, Math.round(count)) : 0)
