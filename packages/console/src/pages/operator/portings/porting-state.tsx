import { StatusBadge, type Tone } from '#parts/value/status-badge.tsx'
import { useText } from '#words/use-text.tsx'
import { text } from '#pages/account/portings/text.ts'
import { wordFor } from '../parts/word-for.ts'

const toneOf = (status: number): Tone => {
  if (status === 500) return 'good'
  if (status === 600) return 'quiet'
  return status === 251 || status === 252 || status === 451 ? 'bad' : 'busy'
}

/** With the customer's texts. */
export const PortingState = ({ status }: { status: number }) => {
  const { states } = useText(text)
  return <StatusBadge tone={toneOf(status)}>{wordFor(states, status)}</StatusBadge>
}
