import type { Client } from '@offhook/sdk'

type Entry = Awaited<ReturnType<Client['getTimeline']>>['items'][number]

interface Line {
  at: string
  who: 'caller' | 'assistant' | 'telephone'
  text: string
}

/** Of all that happens in a call: who said and pressed what. */
export const transcriptOf = (entries: readonly Entry[]): Line[] =>
  entries.flatMap((entry): Line[] => {
    const at = new Date(entry.at).toISOString()
    if (entry.kind === 'heard' && entry.final) return [{ at, who: 'caller', text: entry.text }]
    if (entry.kind === 'key') return [{ at, who: 'caller', text: `presses ${entry.digit}` }]
    if (entry.kind === 'spoke') return [{ at, who: 'assistant', text: entry.text ?? '' }]
    if (entry.kind === 'call') return [{ at, who: 'telephone', text: [entry.state, entry.reason].filter(Boolean).join(', ') }]
    return []
  })
