import { Badge, Button, Group, Text } from '@mantine/core'
import { useMay } from '#api/use-may.ts'
import { useRead, useWrite } from '#api/use-service.ts'
import { useToast } from '#parts/dialog/toast.tsx'
import { Section } from '#parts/page/section.tsx'
import { useText } from '#words/use-text.tsx'
import type { HistoryEntry } from '../parts/history-entry.ts'
import { text } from '../parts/text.ts'
import { historyReads } from '../parts/use-entry-actions.ts'
import { useHistoryOf } from '../parts/use-history-of.ts'

/** Below it the text is shown as unsure. */
const sure = 0.5
const pollIntervalMs = 1_500

/** What was said in a voicemail, as it was written down. */
export const MessageText = ({ entry }: { entry: HistoryEntry }) => {
  const say = useText(text)
  const may = useMay()
  const toast = useToast()
  const { isOwn, userId = '' } = useHistoryOf()
  const { id: entryId, recordingUrl } = entry
  const isPending = entry.messageText?.state === 'PENDING'
  const again = useWrite('transcribeEntry', { refreshes: historyReads })
  // While it is being written down the entry is read again, until the text is there.
  useRead('getHistoryEntry', { userId, entryId }, { every: pollIntervalMs, when: isPending && userId !== '' })
  const mayAsk = isOwn && recordingUrl !== undefined && may('CAN_CHANGE_HISTORY')
  return (
    <Section
      title={say.transcription}
      actions={
        mayAsk && (
          <Button
            size="xs"
            variant="default"
            disabled={isPending}
            loading={again.isPending}
            onClick={() => again.mutate([{ entryId }], { onError: (error) => toast.failed(error) })}
          >
            {say.transcribeAgain}
          </Button>
        )
      }
    >
      <Words entry={entry} />
    </Section>
  )
}

const Words = ({ entry: { transcription, messageText } }: { entry: HistoryEntry }) => {
  const say = useText(text)
  const { state, confidence } = messageText ?? {}
  const instead = state === 'DONE' ? say.nothingSaid : (state && say.textStates[state]) || say.noTranscription
  return (
    <div aria-live="polite">
      {transcription && state !== 'SILENT' ? (
        <Text style={{ whiteSpace: 'pre-wrap' }}>{transcription}</Text>
      ) : (
        <Text c="dimmed">{instead}</Text>
      )}
      {transcription && confidence !== undefined && confidence < sure && (
        <Group mt="xs">
          <Badge color="yellow" variant="light">
            {say.unsure}
          </Badge>
        </Group>
      )}
    </div>
  )
}
