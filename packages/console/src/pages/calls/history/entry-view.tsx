import { Button, Group, Text } from '@mantine/core'
import { useLocation } from 'wouter'
import { useMay } from '#api/use-may.ts'
import { Icon } from '#parts/icon/icon.tsx'
import { Section } from '#parts/page/section.tsx'
import { useText } from '#words/use-text.tsx'
import { AboutEntry } from './about-entry.tsx'
import { CallStory } from './call-story.tsx'
import { MessageText } from './message-text.tsx'
import { FaxView } from './fax-view.tsx'
import type { HistoryEntry } from '../parts/history-entry.ts'
import { Recordings } from '../recording/recordings.tsx'
import { text } from '../parts/text.ts'
import { useEntryActions } from '../parts/use-entry-actions.ts'
import { useHistoryOf } from '../parts/use-history-of.ts'

/** Everything that is known about it, by what it is. */
export const EntryView = ({ entry }: { entry: HistoryEntry }) => {
  const say = useText(text)
  const { type, smsContent = '' } = entry
  if (type === 'CALL') return <CallStory entry={entry} />
  return (
    <>
      <AboutEntry entry={entry} />
      {type === 'VOICEMAIL' && (
        <>
          <MessageText entry={entry} />
          <Recordings entry={entry} />
        </>
      )}
      {type === 'SMS' && (
        <Section title={say.message}>
          <Text style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>{smsContent}</Text>
        </Section>
      )}
      {type === 'FAX' && <FaxView entry={entry} />}
    </>
  )
}

export const EntryActions = ({ entry }: { entry: HistoryEntry }) => {
  const say = useText(text)
  const may = useMay()
  const [, go] = useLocation()
  const { search } = useHistoryOf()
  const { change, remove } = useEntryActions(entry, () => go(`/calls${search}`))
  const { starred, archived } = entry
  if (!may('CAN_CHANGE_HISTORY')) return null
  return (
    <Group gap="xs">
      <Button
        variant="default"
        aria-pressed={starred}
        leftSection={<Icon name="star" size={16} />}
        onClick={() => change({ starred: !starred })}
      >
        {starred ? say.unstar : say.star}
      </Button>
      <Button variant="default" leftSection={<Icon name="archive" size={16} />} onClick={() => change({ archived: !archived })}>
        {archived ? say.unarchive : say.archive}
      </Button>
      <Button variant="default" c="var(--mantine-color-error)" leftSection={<Icon name="trash" size={16} />} onClick={() => void remove()}>
        {say.remove}
      </Button>
    </Group>
  )
}
