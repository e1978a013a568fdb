import { longestLabSeconds, type LabReport, type LabWish } from '@offhook/contract/v2/lab.ts'
import type { BothSides, Lab, RecordedSpeech } from '#core/kernel/ports/lab/lab.ts'
import { variantOf } from './compare-runs.ts'

/** Nothing is known of how fast its recogniser was. */
const recogniserMs = 150
const frameMs = 20
/** -46 dB: the assistant's side is made by a machine and has no noise. */
const loud = 165 ** 2
/** A pause of the assistant is no end of what it says. */
const pauseMs = 700

/** Of a recording of which only the sound is known: the caller on the first channel, the assistant on the second. */
export const reportOfSound = async (lab: Lab, sound: BothSides, { variants, labels }: LabWish, language: string): Promise<LabReport> => {
  const length = Math.min(sound.heard.length, longestLabSeconds * sound.rate)
  const sides = { rate: sound.rate, heard: sound.heard.slice(0, length), sent: sound.sent.slice(0, length) }
  const work = { sound: sides, speeches: speechesIn(sides), wishes: [], voice: [], languages: [language], vocabulary: [], recogniserMs }
  const findings = await lab.run({ ...work, variants: variants.map(({ settings }) => settings) })
  return {
    seconds: Math.round(length / sides.rate),
    ...(length < sound.heard.length && { truncated: true }),
    variants: (findings?.runs ?? []).map((run, nth) => {
      const { name = `${nth + 1}`, settings = {} } = variants[nth] ?? {}
      return variantOf({ name, settings, run }, { labels, live: undefined })
    }),
  }
}

/** Where the assistant speaks; what it says is not known. */
const speechesIn = ({ rate, sent }: BothSides): RecordedSpeech[] => {
  const speeches: RecordedSpeech[] = []
  const frame = Math.round((rate * frameMs) / 1000)
  for (let at = 0; at + frame <= sent.length; at += frame) {
    if (!isLoud(sent.subarray(at, at + frame))) continue
    const startMs = (at * 1000) / rate
    const last = speeches.at(-1)
    if (last && startMs - last.startMs - last.fullMs < pauseMs) last.fullMs = startMs + frameMs - last.startMs
    else speeches.push({ startMs, fullMs: frameMs, text: '', protect: false, wantsAnswer: false })
  }
  return speeches
}

const isLoud = (samples: Int16Array): boolean => samples.reduce((sum, sample) => sum + sample ** 2, 0) / samples.length > loud
