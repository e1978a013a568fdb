import { parseBoundedJson } from '@offhook/contract/bounded-json.ts'
import { Problem } from '@offhook/contract/problem.ts'
import { pageFrames, type PageFrame, type PhoneNews } from '@offhook/contract/v3/phone.ts'
import { bodyChecker } from '@offhook/contract/validation.ts'
import type { WebSocket } from 'ws'
import type { Clock } from '#core/kernel/ports/platform.ts'
import type { BrowserPhones } from '#core/telephone/phones/browser-phones.ts'
import type { PageTicket } from '#core/telephone/phones/phone-tickets.ts'
import { requireOurPage } from '../gate/our-page.ts'
import type { Upgrades } from '../gate/upgrades.ts'
import type { HandlerDeps } from '../handler/handler-deps.ts'
import { RateLimit } from '../limits/rate-limit.ts'

type PhoneDeps = Pick<HandlerDeps, 'phones' | 'phoneTickets' | 'installation' | 'wallClock'>

/** An SDP is the longest message. */
const maxBytes = 64 * 1024
const framesPerSecond = 20
const maxUnsentBytes = 1024 * 1024
/** Milliseconds until a page stops ringing after its user has logged out elsewhere or has left. */
const pollMs = 30_000
const tooMuch = 1008
const faultOfOurs = 1011
/** RFC 6455 §7.4.1: the connection broke without a close frame. */
const broken = 1006

/** WebSocket that turns pages of the console into phones. */
export const mountPhoneUpgrade = (upgrades: Upgrades, { phones, phoneTickets, installation, wallClock: clock }: PhoneDeps): void =>
  upgrades.add({
    path: '/v3/phone/{deviceId}/{ticket}',
    maxBytes,
    async enter({ request, params: { deviceId = '', ticket = '' }, accept }) {
      requireOurPage(request, installation.publicUrl())
      const redeemed = await phoneTickets.redeem(request.url ?? '', { deviceId, ticket })
      carryPage(await accept(), { ...redeemed, phones, clock, program: (request.headers['user-agent'] ?? '').slice(0, 200) })
    },
  })

interface PageParts extends PageTicket {
  phones: BrowserPhones
  program: string
  clock: Clock
}

/** The page can ring while the WebSocket is open. Its calls end when it is closed, and wait a little when it breaks. */
const carryPage = (client: WebSocket, { phones, owner, welcome, program, clock }: PageParts): void => {
  const notify = (news: PhoneNews): void => {
    if (client.bufferedAmount > maxUnsentBytes) client.terminate() // it no longer reads
    else client.send(JSON.stringify(news), ignored)
  }
  const rate = new RateLimit(clock, framesPerSecond)
  const { heed: handleFrame, leave, lose } = phones.enter(owner, program, { send: notify, drop: () => client.terminate() })
  client.on('message', (data, binary) => {
    try {
      rate.take('')
      const frame = binary ? 'Sound goes over WebRTC; messages are text.' : read((data as Buffer).toString())
      if (typeof frame === 'string') notify({ type: 'problem', message: frame })
      else handleFrame(frame)
    } catch (error) {
      leave() // even if the far end does not confirm the close
      if (error instanceof Problem) client.close(tooMuch, 'too many messages')
      else client.close(faultOfOurs)
    }
  })
  const stopLooking = every(pollMs, clock, async () => {
    if (!(await welcome().catch(() => true))) client.close(tooMuch, 'logged out')
  })
  client.once('close', (code) => {
    stopLooking()
    if (code === broken) lose()
    else leave()
  })
}

const every = (ms: number, clock: Clock, work: () => Promise<void>): (() => void) => {
  let stop = (): void => {}
  const next = (): void => {
    stop = clock.after(ms, () => {
      next()
      void work()
    })
  }
  next()
  return () => stop()
}

/** Send errors: the close event ends the client's calls. */
const ignored = (): void => {}

const checks = new Map(Object.entries(pageFrames).map(([type, shape]) => [type, bodyChecker(shape)]))

/** The parsed frame, or an error text. */
const read = (text: string): PageFrame | string => {
  try {
    const frame = parseBoundedJson(text) as { type?: unknown } | null
    const check = checks.get(String(frame?.type))
    return check ? check(frame) : `type must be one of ${[...checks.keys()].join(', ')}.`
  } catch (error) {
    return error instanceof Problem ? error.message : 'A message must be JSON.'
  }
}
