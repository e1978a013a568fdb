import { parseBoundedJson } from '@offhook/contract/bounded-json.ts'
import { Problem } from '@offhook/contract/problem.ts'
import { bodyChecker } from '@offhook/contract/validation.ts'
import {
  TalkDtmf,
  talkFrameBytes,
  TalkHangup,
  talkSampleRate,
  TalkText,
  type TalkFrame,
  type TalkNews,
} from '@offhook/contract/v3/talks.ts'
import type { RawData, WebSocket } from 'ws'
import type { Clock } from '#core/kernel/ports/platform.ts'
import type { WebFarEnd } from '#core/kernel/ports/browser.ts'
import type { Talks, Ticket } from '#core/telephone/talks/talks.ts'
import { RateLimit } from '../limits/rate-limit.ts'
import { frameReader, framesPerSecond, ignored, sendSound } from './phone-sound-upgrade.ts'

interface TalkSocketDeps {
  talks: Talks
  ticket: Ticket
  clock: Clock
}

/** Texts, digits and hang-ups: each digit takes a while to play to the far end. */
const messagesPerSecond = 5
const tooMuch = 1008
const faultOfOurs = 1011

const checks = { text: bodyChecker(TalkText), dtmf: bodyChecker(TalkDtmf), hangup: bodyChecker(TalkHangup) }

/** The call lasts as long as the WebSocket, and vice versa. */
export const carryTalk = (client: WebSocket, { talks, ticket, clock }: TalkSocketDeps): void => {
  const notify = (news: TalkNews): void => client.send(JSON.stringify(news), ignored)
  notify({ type: 'ready', callId: ticket.talkId, sampleRate: talkSampleRate })
  const { farEnd, over } = talks.begin(ticket, {
    ringing: () => notify({ type: 'ringing' }),
    answered: () => notify({ type: 'answered' }),
    held: (value) => notify({ type: 'held', value }),
    hears: (samples) => sendSound(client, samples),
  })
  const rates = { sound: new RateLimit(clock, framesPerSecond), words: new RateLimit(clock, messagesPerSecond) }
  const soundOf = frameReader()
  const take = (data: Buffer, binary: boolean): void => {
    if (binary && ticket.sound && data.length === talkFrameBytes) {
      rates.sound.take('')
      return farEnd.says(soundOf(data))
    }
    const frame = binary ? strangeSound(ticket) : read(data)
    for (let left = weightOf(frame); left > 0; left--) rates.words.take('')
    const problem = typeof frame === 'string' ? frame : handleFrame(farEnd, frame)
    if (problem !== undefined) notify({ type: 'problem', message: problem })
  }
  client.on('message', (data: RawData, binary) => {
    try {
      take(data as Buffer, binary) // the default binaryType delivers one Buffer per message
    } catch (error) {
      if (error instanceof Problem) client.close(tooMuch, 'too many messages')
      else client.close(faultOfOurs)
      farEnd.hangsUp() // even if the far end does not confirm the close
    }
  })
  client.once('close', () => farEnd.hangsUp())
  void over.then(({ by, reason }) => {
    notify({ type: 'ended', by, reason })
    client.close(1000)
  })
}

const strangeSound = ({ sound }: Ticket): string =>
  sound ? `A binary message must have ${talkFrameBytes} bytes.` : 'This talk was opened without sound.'

const weightOf = (frame: TalkFrame | string): number => (typeof frame !== 'string' && frame.type === 'dtmf' ? frame.digits.length : 1)

/** Returns an error text for an invalid frame. */
const handleFrame = (farEnd: WebFarEnd, frame: TalkFrame): string | undefined => {
  if (frame.type === 'text') return farEnd.types(frame.text) ? undefined : 'Nobody reads what is typed at the moment.'
  if (frame.type === 'dtmf') farEnd.presses(frame.digits)
  else farEnd.hangsUp()
  return undefined
}

/** The parsed frame, or an error text. */
const read = (data: Buffer): TalkFrame | string => {
  try {
    const frame = parseBoundedJson(data.toString()) as { type?: unknown } | null
    const check = Object.entries(checks).find(([type]) => type === frame?.type)?.[1]
    return check ? check(frame) : `type must be one of ${Object.keys(checks).join(', ')}.`
  } catch (error) {
    return error instanceof Problem ? error.message : 'A text message must be JSON.'
  }
}
