import { Stack } from '@mantine/core'
import type { RefObject } from 'react'
import { Section } from '#parts/page/section.tsx'
import { useText } from '#words/use-text.tsx'
import { recordedSides, type HistoryEntry } from '../parts/history-entry.ts'
import { RecordingPlayer } from './recording-player.tsx'
import { text } from '../parts/text.ts'
import type { Seeker } from './wave-player.tsx'

/** The recordings of an entry. Draws nothing without one. `seeker`: of the first. */
export const Recordings = ({ entry, seeker }: { entry: HistoryEntry; seeker?: RefObject<Seeker | undefined> }) => {
  const say = useText(text)
  const { recordings = [] } = entry
  if (recordings.length === 0) return null
  return (
    <Section title={recordings.length === 1 ? say.recording : say.recordings}>
      <Stack gap="xl">
        {recordings.map(({ id, truncated = false }, index) => (
          <RecordingPlayer
            key={id}
            recordingId={id}
            truncated={truncated}
            sides={recordedSides(entry, say)}
            {...(index === 0 && seeker && { seeker })}
          />
        ))}
      </Stack>
    </Section>
  )
}
