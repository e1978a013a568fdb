import { Alert, Button, Group, Progress, Stack, Text } from '@mantine/core'
import { useState, type RefObject } from 'react'
import { useMay } from '#api/use-may.ts'
import { useWrite } from '#api/use-service.ts'
import { useConfirm } from '#parts/dialog/confirm.tsx'
import { ErrorNotice } from '#parts/form/error-notice.tsx'
import { Icon } from '#parts/icon/icon.tsx'
import { WaitingRows } from '#parts/page/loaded.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { useFormat } from '#parts/value/use-format.ts'
import { useText } from '#words/use-text.tsx'
import { text } from '../parts/text.ts'
import { historyReads } from '../parts/use-entry-actions.ts'
import { useRecording } from './use-recording.ts'
import { WavePlayer, type Seeker } from './wave-player.tsx'

export interface RecordingPlayerProps {
  recordingId: string
  truncated: boolean
  /** Names of the channels: left, right. */
  sides: readonly string[]
  seeker?: RefObject<Seeker | undefined>
}

/** One recording of a call or a voicemail. */
export const RecordingPlayer = ({ recordingId, truncated, sides, seeker }: RecordingPlayerProps) => {
  const say = useText(text)
  const format = useFormat()
  const may = useMay()
  const { recording, load } = useRecording(recordingId)
  return (
    <Stack gap="sm">
      {recording.state === 'looking' && <WaitingRows count={2} />}
      {recording.state === 'waiting' && (
        <Group gap="sm">
          <Button variant="default" leftSection={<Icon name="play" size={16} />} onClick={load}>
            {say.loadRecording}
          </Button>
          <Text size="sm" c="dimmed">
            {say.recordingSize(format.bytes(recording.bytes))}
          </Text>
        </Group>
      )}
      {recording.state === 'loading' && (
        <Progress value={recording.share * 100} aria-label={say.loadingRecording(format.number(recording.share * 100))} />
      )}
      {recording.state === 'failed' && <ErrorNotice error={recording.error} onRetry={load} />}
      {recording.state === 'ready' && <WavePlayer url={recording.url} picture={recording.picture} sides={sides} seeker={seeker} />}
      {truncated && (
        <Alert color="yellow" icon={<Icon name="alert" />}>
          {say.truncated}
        </Alert>
      )}
      <Group gap="xs">
        {recording.state === 'ready' && (
          <Button
            component="a"
            href={recording.url}
            download={`${recordingId}.wav`}
            size="xs"
            variant="default"
            leftSection={<Icon name="download" size={14} />}
          >
            {say.download}
          </Button>
        )}
        {may('CAN_CHANGE_HISTORY') && <DeleteRecording recordingId={recordingId} />}
      </Group>
    </Stack>
  )
}

const DeleteRecording = ({ recordingId }: { recordingId: string }) => {
  const say = useText(text)
  const confirm = useConfirm()
  const toast = useToast()
  const [isGone, setGone] = useState(false)
  const remove = useWrite('deleteRecording', {
    refreshes: historyReads,
    onDone: () => {
      setGone(true)
      toast.done(say.removed)
    },
  })
  const ask = async (): Promise<void> => {
    const sure = await confirm({ title: say.deleteRecordingTitle, body: say.deleteRecordingBody, confirm: say.deleteRecording })
    if (sure) remove.mutate([{ recordingId }], { onError: toast.failed })
  }
  return (
    <Button
      size="xs"
      variant="subtle"
      c="var(--mantine-color-error)"
      leftSection={<Icon name="trash" size={14} />}
      loading={remove.isPending}
      disabled={isGone}
      onClick={() => void ask()}
    >
      {say.deleteRecording}
    </Button>
  )
}
