import { useText } from '#words/use-text.tsx'
import { text } from './text.ts'

const known = {
  voices: ['openai', 'azure', 'eleven_labs', 'espeak', 'pico'],
  ears: ['openai', 'deepgram', 'eleven_labs', 'azure'],
} as const

const names: Readonly<Record<string, string>> = {
  openai: 'OpenAI',
  azure: 'Azure',
  eleven_labs: 'ElevenLabs',
  deepgram: 'Deepgram',
  espeak: 'eSpeak',
  pico: 'Pico',
}

/** Who can speak or hear, the built-in one first; `present` may be written in another way. */
export const useProviders = (): ((kind: keyof typeof known, present: string) => { value: string; label: string }[]) => {
  const say = useText(text)
  const nameOf = (value: string): string => (value === 'embedded' ? say.embedded : (names[value] ?? value))
  return (kind, present) => [
    { value: '', label: say.embedded },
    ...[...new Set([...known[kind], ...(present === '' ? [] : [present])])].map((value) => ({ value, label: nameOf(value) })),
  ]
}
