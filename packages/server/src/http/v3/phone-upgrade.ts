import { Problem } from '@offhook/contract/problem.ts'
import { pageFrames, type PageFrame, type PhoneNews } from '@offhook/contract/v3/phone.ts'
import { bodyChecker } from '@offhook/contract/validation.ts'
import type { WebSocket } from 'ws'
import type { Clock } from '#core/kernel/ports/clock.ts'
import type { BrowserPhones } from '#core/telephone/phones/browser-phones.ts'
import type { PageTicket } from '#core/telephone/phones/phone-tickets.ts'
import { requireOurPage } from '../gate/our-page.ts'
import type { Upgrades } from '../gate/upgrades.ts'
import type { HandlerDeps } from '../handler/handler-parts.ts'
import { RateLimit } from '../limits/rate-limit.ts'

type PhoneDeps = Pick<HandlerDeps, 'phones' | 'phoneTickets' | 'installation' | 'wallClock'>

/** A description of the sound is the longest of it. */
const maxBytes = 64 * 1024
const framesPerSecond = 20
const maxUnsentBytes = 1024 * 1024
/** How long a page may go on ringing after its user has logged out elsewhere, or has left. */
const pollMs = 30_000
const tooMuch = 1008
const faultOfOurs = 1011
/** Nobody said that it ends: the connection broke. */
const broken = 1006

/** Where pages of the console become phones. */
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

/** The page can ring as long as the WebSocket is open. Its calls end when it is closed, and wait a little when it breaks. */
const carryPage = (client: WebSocket, { phones, owner, welcome, program, clock }: PageParts): void => {
  const notify = (news: PhoneNews): void => {
    if (client.bufferedAmount > maxUnsentBytes) client.terminate() // it does not read any more
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
      leave() // whether or not the far end agrees to close
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

/** Nothing is sent to a client that is gone; its close event ends its calls. */
const ignored = (): void => {}

const checks = new Map(Object.entries(pageFrames).map(([type, shape]) => [type, bodyChecker(shape)]))

/** What it is, or what is wrong with it. */
const read = (text: string): PageFrame | string => {
  try {
    const frame = JSON.parse(text) as { type?: unknown } | null
    const check = checks.get(String(frame?.type))
    return check ? check(frame) : `type must be one of ${[...checks.keys()].join(', ')}.`
  } catch (error) {
    return error instanceof Problem ? error.message : 'A message must be JSON.'
  }
}
