import type { TimelineEntry, TimelineEntryOf, TimelineKind } from '@offhook/contract/v2/timeline.ts'
import { harmless, paint } from './paint.ts'

interface LinesOptions {
  /** Includes raw requests and replies. */
  bytes?: boolean
}

/** Formats a timeline entry in one line: time, call, event. */
export const linesOf = (entry: TimelineEntry, { bytes = false }: LinesOptions = {}): string => {
  const head = `${paint('gray', timeOf(entry.at))} ${paint('gray', entry.callId.slice(0, 6))}  `
  const shown = bytes && entry.kind === 'attempt' ? bytesOf(entry) : ''
  return `${head}${wordsOf(entry)}${shown}`
}

const timeOf = (at: number): string => {
  const pad = (value: number, length: number): string => String(value).padStart(length, '0')
  const date = new Date(at)
  const clock = [date.getHours(), date.getMinutes(), date.getSeconds()].map((part) => pad(part, 2)).join(':')
  return `${clock}.${pad(date.getMilliseconds(), 3)}`
}

const name = (text: string): string => text.padEnd(10)
const quoted = (text: string): string => `“${harmless(text)}”`
const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`

const sounds: Record<TimelineEntryOf<'sound'>['state'], string> = {
  unknown_source: 'not heard, its packets come from an address that neither its SDP nor its signalling named',
  unknown_format: 'not heard, its packets are not as agreed',
  nothing: 'not heard, no packet has come',
  stopped: 'no longer heard, no packets come',
  unheard: 'reports that it gets none of our packets',
  heard: 'heard',
}

type EntryFormatter<K extends TimelineKind> = (entry: TimelineEntryOf<K>) => string

const formatters: { [K in TimelineKind]: EntryFormatter<K> } = {
  call: ({ state, from, to, reason, explanation }) => {
    const between = from === undefined && to === undefined ? '' : ` ${from ?? '?'} → ${to ?? '?'}`
    const why = reason === undefined ? '' : ` ${reason}${explanation === undefined ? '' : `: ${explanation}`}`
    return paint('bold', `${name(`call`)}${state.replaceAll('_', ' ')}${harmless(between + why)}`)
  },
  routing: ({ because, schedule, action, to, explanation }) =>
    paint('bold', `${name('routing')}${harmless(explanation ?? [because, schedule, action, to].filter(Boolean).join(' '))}`),
  sound: ({ state, of, deviceId }) =>
    paint(state === 'heard' ? 'green' : 'red', `${name('sound')}${of}${deviceId === undefined ? '' : ` ${deviceId}`}: ${sounds[state]}`),
  quality: ({ of, deviceId, packetsReceived, packetsLost, jitterMs, worst, reported }) => {
    const parts = [
      `${packetsLost} of ${packetsReceived + packetsLost} packets lost`,
      worst && `${worst.lossPercent} % in the worst ${seconds(worst.durationMs)}`,
      `jitter ${jitterMs} ms`,
      reported && `reports that ${reported.lossPercent} % of ours are lost`,
    ]
    return paint('gray', `${name('quality')}${of}${deviceId === undefined ? '' : ` ${deviceId}`}: ${parts.filter(Boolean).join(', ')}`)
  },
  voice: ({ speaking }) => paint('gray', `${name('voice')}${speaking ? 'begins to speak' : 'is silent'}`),
  heard: ({ text, final, typed }) =>
    paint(final ? 'green' : 'gray', `${name(typed ? 'typed' : 'heard')}${quoted(text)}${final ? '' : ' …'}`),
  key: ({ digit }) => paint('green', `${name('key')}${harmless(digit)}`),
  event: ({ type, turn }) => `${paint('cyan', name('event'))}${type} ${paint('gray', `turn ${turn}`)}`,
  attempt: ({ channel, url, response, durationMs, state, error }) => {
    const where = `${channel}${url === undefined ? '' : ` ${harmless(url)}`}`
    const outcome =
      error === undefined ? `${response?.status ?? state} in ${durationMs} ms` : `${state} after ${durationMs} ms: ${harmless(error)}`
    return paint(error === undefined ? 'gray' : 'red', `${name('attempt')}${where} ${outcome}`)
  },
  message: ({ body, bodyBytes }) => paint('gray', `${name('message')}${bodyBytes} bytes ${harmless(body.slice(0, 100))}`),
  action: ({ action }) => `${paint('magenta', name('action'))}${actionWords(action)}`,
  speaks: ({ text }) => paint('gray', `${name('speaks')}${text === undefined ? 'a sound' : quoted(text)} …`),
  briefing: ({ state, by }) => `${name('briefing')}${state}${by === undefined ? '' : ` (${by})`}`,
  spoke: ({ text, playedMs, completed, cutBy }) => {
    const end = completed ? '' : `, cut off${cutBy ? ` by ${quoted(cutBy.text)} (${cutBy.reason.replaceAll('_', ' ')})` : ''}`
    return paint('blue', `${name('spoke')}${text === undefined ? 'a sound' : quoted(text)} ${seconds(playedMs)}${end}`)
  },
  ducked: ({ ducked }) => paint('gray', `${name('level')}${ducked ? "softer under the caller's voice" : 'as loud as before'}`),
  unclear: ({ durationMs, text }) =>
    paint('yellow', `${name('unclear')}${text === undefined ? `a voice of ${durationMs} ms` : quoted(text)}`),
  filler: ({ text }) => paint('gray', `${name('filler')}${quoted(text)}`),
  backchannel: ({ text }) => paint('gray', `${name('listens')}${quoted(text)}`),
  discarded: ({ action, reason }) => paint('yellow', `${name('discarded')}${harmless(action)}: ${reason}`),
  turn: ({ turn, sttFinalMs, sentMs, answeredMs, firstSoundMs }) => {
    const parts = { understood: sttFinalMs, asked: sentMs, answered: answeredMs, sound: firstSoundMs }
    const known = Object.entries(parts).flatMap(([what, ms]) => (ms === undefined ? [] : [`${what} ${ms}`]))
    return paint('gray', `${name('turn')}${turn}: ${known.join(' · ')}${known.length === 0 ? '' : ' ms'}`)
  },
  note: ({ name: about, data }) => paint('gray', `${name('note')}${harmless(about)} ${harmless(JSON.stringify(data) ?? '').slice(0, 200)}`),
  problem: ({ message }) => paint('red', `${name('problem')}${harmless(message)}`),
}

/** A newer service may have more kinds of entries. */
const wordsOf = (entry: TimelineEntry): string => {
  const teller = formatters[entry.kind] as EntryFormatter<TimelineKind> | undefined
  return teller?.(entry) ?? paint('gray', name(harmless(entry.kind)))
}

const actionWords = (action: unknown): string => {
  const { type, session_id: _session, turn: _turn, text, ssml, ...rest } = Object(action) as Record<string, unknown>
  const words = text ?? ssml
  const more = Object.keys(rest).length === 0 ? '' : ` ${harmless(JSON.stringify(rest)).slice(0, 200)}`
  return `${harmless(String(type))}${typeof words === 'string' ? ` ${quoted(words)}` : ''}${more}`
}

type Bytes = NonNullable<TimelineEntryOf<'attempt'>['request']>

const bytesOf = ({ request, response }: TimelineEntryOf<'attempt'>): string => {
  const block = (mark: string, { headers, body, cut }: Bytes): string => {
    const lines = [...Object.entries(headers).map(([header, value]) => `${header}: ${value}`), '', ...body.split('\n')]
    if (cut) lines.push('… and more')
    return lines.map((line) => `\n    ${paint('gray', mark)} ${harmless(line)}`).join('')
  }
  return (request ? block('>', request) : '') + (response ? block('<', response) : '')
}
