import type { OutboundHttp } from '#core/kernel/ports/outbound-http.ts'
import type { SpeechRate } from '#core/kernel/ports/speech.ts'
import { decodeBase64, readPcmWav, toSamples, WavRefused } from '#core/kernel/sound/pcm-wav.ts'
import type { SoundPiece } from './playout.ts'

const rates: readonly SpeechRate[] = [8000, 16_000]
const maxBytes = 10 * 1024 * 1024
const deadlineMs = 5000

/** A WAV file in base64, from an action. Throws WavRefused. */
export const readCustomerWav = (base64: string): { file: Buffer; sound: SoundPiece } => {
  if (base64.length > (maxBytes / 3) * 4 + 4) throw new WavRefused(`is longer than ${maxBytes} bytes`)
  const file = decodeBase64(base64)
  return { file, sound: soundOf(file) }
}

/** A WAV file from a server of the account. Rejects when it cannot be fetched or played. */
export const fetchSound = async (outbound: OutboundHttp, url: string, signal: AbortSignal): Promise<SoundPiece> => {
  const { status, body } = await outbound.request({ method: 'GET', url, deadlineMs, maxBytes: maxBytes, signal })
  if (status !== 200) throw new Error(`the server answered with ${status}`)
  return soundOf(body)
}

const soundOf = (file: Buffer): SoundPiece => {
  const { rate, samples } = readPcmWav(file, { rates, endless: true })
  return { rate: rate === 8000 ? 8000 : 16_000, samples: toSamples(samples) }
}
