import type { Answer } from '@offhook/sdk/answering.ts'
import type { LiveEvent } from '@offhook/sdk/live/handlers.ts'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import type { ForeignEnd, ForeignReply, ForeignRequest, ForeignSocketObserver, ForeignSocketWish, GatewaySettings } from '../gateway.ts'
import { openGateway } from '../open-gateway.ts'

export const session = {
  id: '0a1b2c3d-4e5f-4a1b-8c2d-3e4f5a6b7c8d',
  account_id: '1234567',
  phone_number: '4930111111',
  direction: 'inbound',
  from_phone_number: '491570000001',
  to_phone_number: '4930111111',
} as const

type Said = Record<string, unknown> & { type: string }

interface ForeignLine {
  wish: ForeignSocketWish
  /** Messages received by the customer's server. */
  told: Said[]
  /** Sends a message as the customer's server. */
  say(message: object | string): void
  leave(end?: Partial<ForeignEnd>): void
  closed: boolean
}

interface ForeignWorldOptions {
  answer?: (request: ForeignRequest) => ForeignReply | Promise<ForeignReply>
  /** Why the connection fails; undefined: it opens. */
  refuse?: () => ForeignEnd | undefined
}

/** A translator between a call and a customer's server, both played by the test. */
export const foreignWorld = (
  requested: Partial<GatewaySettings> & Pick<GatewaySettings, 'protocol' | 'url'>,
  options: ForeignWorldOptions = {},
) => {
  const clock = new VirtualClock()
  const lines: ForeignLine[] = []
  const requests: ForeignRequest[] = []
  const acted: Answer[] = []
  const played: Buffer[] = []
  const problems: string[] = []
  const lost: unknown[] = []
  const failures: string[] = []
  const connect = (input: ForeignSocketWish, observer: ForeignSocketObserver) => {
    const line: ForeignLine = {
      wish: input,
      told: [],
      say: (message) => observer.said(typeof message === 'string' ? message : JSON.stringify(message)),
      leave: (end = {}) => observer.closed({ opened: true, left: true, message: 'gone', ...end }),
      closed: false,
    }
    const end = options.refuse?.()
    queueMicrotask(() => (end ? observer.closed(end) : observer.opened()))
    if (!end) lines.push(line)
    return {
      send: (text: string) => void line.told.push(JSON.parse(text) as Said),
      sendBytes: () => {},
      close: () => void (line.closed = true),
    }
  }
  const request = async (wanted: ForeignRequest): Promise<ForeignReply> => {
    requests.push(wanted)
    return (await options.answer?.(wanted)) ?? { status: 200, headers: {}, body: Buffer.alloc(0) }
  }
  const translator = openGateway({
    settings: { language: 'en-US', transferTargets: [], ...requested },
    ways: { clock, connect, request },
    service: {
      act: (action) => void acted.push(action),
      play: (bytes) => void played.push(bytes),
      problem: (message) => void problems.push(message),
      failed: (why) => void failures.push(why),
      lost: (end) => void lost.push(end),
    },
  })
  let sequence = 0
  return {
    clock,
    lines,
    requests,
    acted,
    played,
    problems,
    lost,
    failures,
    translator,
    line: (): ForeignLine => lines.at(-1) ?? raise('nothing was connected'),
    /** Text spoken so far, without separate streams. */
    spoken: () => acted.flatMap((action) => (action.type === 'speak' ? [action.text ?? action.ssml ?? ''] : [])).join(''),
    types: () => acted.map(({ type }) => type),
    notify: async (event: Record<string, unknown> & { type: string }): Promise<void> => {
      await translator.take({ session, sequence: ++sequence, ...event } as unknown as LiveEvent)
      await clock.advance(0)
    },
  }
}

const raise = (message: string): never => {
  throw new Error(message)
}
