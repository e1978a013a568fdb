import { randomUUID } from 'node:crypto'
import type { CallGuide, CallGuidance, DescribableCall } from '#core/kernel/ports/calls.ts'
import { OutboundFailure, type OutboundReply } from '#core/kernel/ports/outbound.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import { heardInCalls, readPcmWav, WavRefused } from '#core/kernel/sound/pcm-wav.ts'
import type { ExchangeLog } from './exchange-log.ts'
import { findAddress, type PushAddress } from './change-push.ts'
import { asJson, dtmfBody, newCallBody } from './form-body.ts'
import type { PushClient } from './push-client.ts'
import { readReply, replyText, type ReadReply } from './read-response.ts'

interface WebhookGuideDeps {
  store: Store
  client: PushClient
  log: ExchangeLog
  /** `callId`: set if the error concerns one call. */
  onError: (error: unknown, callId?: string) => void
}

/** Milliseconds from connect to the last byte; the call waits for it. */
const deadlineMs = 10_000
const resume: CallGuidance = { verb: undefined, onAnswer: undefined, onHangup: undefined }

interface Question {
  event: 'newCall' | 'dtmf'
  url: string
  /** As a form. */
  form: string
  signal: AbortSignal
}

/** Asks the account's webhook over HTTP. Failures on either side never prevent a call from being connected. */
export const webhookGuide = ({ store, client, log, onError }: WebhookGuideDeps): CallGuide => {
  const ask = async (call: DescribableCall, address: PushAddress, { event, url, form, signal }: Question): Promise<CallGuidance> => {
    const { format } = address
    const body = format === 'json' ? asJson(form) : form
    const posting = { id: randomUUID(), accountId: call.accountId, url, body, format, deadlineMs, signal }
    const { guidance = resume, ...came } = await answered(() => client.post(posting), {
      direction: call.direction,
      country: address.country,
    })
    if (address.log) log.record({ ...about(call, address), event, url, request: body, ...came })
    return guidance
  }

  const begin = async (call: DescribableCall, signal: AbortSignal): Promise<CallGuidance | undefined> => {
    const address = await findAddress(store.read, call)
    if (address?.url === undefined) return undefined
    return ask(call, address, { event: 'newCall', url: address.url, form: newCallBody(call), signal })
  }

  const keys = async (call: DescribableCall, { onData, digits }: { onData: string; digits: string }, signal: AbortSignal) => {
    const address = await findAddress(store.read, call)
    return address && ask(call, address, { event: 'dtmf', url: onData, form: dtmfBody(call, digits), signal })
  }

  const sound = async (call: DescribableCall, url: string, signal: AbortSignal): Promise<Uint8Array | undefined> => {
    const address = await findAddress(store.read, call)
    if (!address) return undefined
    const { file, ...came } = await fetchSound(client, url, signal)
    if (address.log && !file) log.record({ ...about(call, address), event: 'sound', url, request: '', response: '', ...came })
    return file
  }

  const unlessItFails = <T>(work: Promise<T>, callId?: string): Promise<T | undefined> =>
    work.catch((error: unknown) => {
      onError(error, callId)
      return undefined
    })
  return {
    listens: async (accountId, direction) => (await unlessItFails(store.read.pushSettings.hasAddress(accountId, direction))) ?? false,
    begin: (call, signal) => unlessItFails(begin(call, signal), call.callId),
    keys: (call, gathered, signal) => unlessItFails(keys(call, gathered, signal), call.callId),
    sound: (call, url, signal) => unlessItFails(sound(call, url, signal), call.callId),
  }
}

const about = ({ accountId, callId }: DescribableCall, { line }: PushAddress) => ({ accountId, callId, line })

type Answered = ReadReply & { status: number | undefined; response: string }

const answered = async (post: () => Promise<OutboundReply>, reader: Parameters<typeof readReply>[1]): Promise<Answered> => {
  try {
    const reply = await post()
    return { ...readReply(reply, reader), status: reply.status, response: replyText(reply) }
  } catch (error) {
    if (!(error instanceof OutboundFailure)) throw error
    return { xmlError: error.message, status: error.status, response: '' }
  }
}

interface FetchedSound {
  file: Uint8Array | undefined
  xmlError: string | undefined
  status: number | undefined
}

/** Validated here, so that the log can name the fault. */
const fetchSound = async (client: PushClient, url: string, signal: AbortSignal): Promise<FetchedSound> => {
  let status: number | undefined
  try {
    const reply = await client.getSound(url, { deadlineMs, signal })
    status = reply.status
    if (status !== 200) return { file: undefined, xmlError: `the sound cannot be had: the server answered ${status}`, status }
    readPcmWav(reply.body, heardInCalls)
    return { file: reply.body, xmlError: undefined, status }
  } catch (error) {
    if (!(error instanceof OutboundFailure) && !(error instanceof WavRefused)) throw error
    return { file: undefined, xmlError: `the sound cannot be had: ${error.message}`, status }
  }
}
