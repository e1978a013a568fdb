import { Stack, Alert, Button, Group, Progress, Text } from '@mantine/core'
import { type RefObject, useState, useCallback, useEffect, useRef } from 'react'
import { Section } from '#parts/page/section.tsx'
import { useText } from '#words/use-text.tsx'
import { recordedSides, type HistoryEntry } from '../parts/history-entry.ts'
import { text } from '../parts/text.ts'
import { type Seeker, WavePlayer } from './wave-player.tsx'
import { wavPicture, type WavPicture } from './wav-peaks.ts'
import { useMay } from '#api/use-may.ts'
import { useWrite } from '#api/use-service.ts'
import { useConfirm } from '#parts/dialog/confirm.tsx'
import { ErrorNotice } from '#parts/form/error-notice.tsx'
import { Icon } from '#parts/icon/icon.tsx'
import { WaitingRows } from '#parts/page/loaded.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { useFormat } from '#parts/value/use-format.ts'
import { historyReads } from '../parts/use-entry-actions.ts'
import { fetchAsRole } from '#api/client.ts'
import { refusal } from '@offhook/sdk/client-of.ts'

/** The recordings of an entry. Empty without one. `seeker`: of the first. */
export const Recordings = ({ entry, seeker }: { entry: HistoryEntry; seeker?: RefObject<Seeker | undefined> }) => {
  const say = useText(text)
  const { recordings = [] } = entry
  if (recordings.length === 0) return null
  return (
    <Section title={recordings.length === 1 ? say.recording : say.recordings}>
      <Stack gap="xl">
        {recordings.map(({ id, ...about }, index) => (
          <RecordingPlayer
            key={id}
            recordingId={id}
            about={about}
            sides={recordedSides(entry, say)}
            {...(index === 0 && seeker && { seeker })}
          />
        ))}
      </Stack>
    </Section>
  )
}

interface RecordingPlayerProps {
  recordingId: string
  about: Omit<NonNullable<HistoryEntry['recordings']>[number], 'id'>
  /** Names of the channels: left, right. */
  sides: readonly string[]
  seeker?: RefObject<Seeker | undefined>
}

/** One recording of a call or a voicemail. */
const RecordingPlayer = ({ recordingId, about, sides, seeker }: RecordingPlayerProps) => {
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
      {(about.pending || about.truncated) && (
        <Alert color="yellow" icon={<Icon name="alert" />}>
          {about.pending ? say.recordingPending : say.truncated}
        </Alert>
      )}
      {about.gaps?.map(({ at, seconds }) => (
        <Text key={at} size="sm" c="dimmed">
          {say.recordingGap(format.duration(at * 1000), `${format.number(seconds, 1)} s`)}
        </Text>
      ))}
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

/** Bytes; shorter recordings, some ten minutes, are fetched automatically. */
const maxWholeBytes = 20_000_000

type RecordingState =
  | { state: 'looking' }
  | { state: 'waiting'; bytes: number }
  | { state: 'loading'; share: number }
  | { state: 'ready'; url: string; picture: WavPicture }
  | { state: 'failed'; error: unknown }

/** The audio of a recording, as far as loaded. */
const useRecording = (recordingId: string): { recording: RecordingState; load: () => void } => {
  const [recording, setRecording] = useState<RecordingState>({ state: 'looking' })
  const load = useRef<() => void>(() => undefined)
  useEffect(() => {
    const path = `/v2/recordings/${encodeURIComponent(recordingId)}`
    const stop = new AbortController()
    let url: string | undefined
    const fail = (error: unknown): void => {
      if (!stop.signal.aborted) setRecording({ state: 'failed', error })
    }
    const fetchIt = async (): Promise<void> => {
      setRecording({ state: 'loading', share: 0 })
      const bytes = await fetchInChunks(path, stop.signal, (share) => setRecording({ state: 'loading', share }))
      url = URL.createObjectURL(new Blob([bytes], { type: 'audio/wav' }))
      setRecording({ state: 'ready', url, picture: wavPicture(bytes) })
    }
    load.current = () => void fetchIt().catch(fail)
    const begin = async (): Promise<void> => {
      const bytes = await sizeOf(path, stop.signal)
      if (bytes <= maxWholeBytes) await fetchIt()
      else setRecording({ state: 'waiting', bytes })
    }
    begin().catch(fail)
    return () => {
      stop.abort()
      if (url !== undefined) URL.revokeObjectURL(url)
    }
  }, [recordingId])
  return { recording, load: useCallback(() => load.current(), []) }
}

const chunkBytes = 1024 * 1024

/** Size in bytes, without fetching the file. */
const sizeOf = async (path: string, signal: AbortSignal): Promise<number> => {
  const reply = await ask(path, 0, 0, signal)
  await reply.body?.cancel()
  return totalOf(reply)
}

/** Fetches a file of any size in chunks, with progress. */
const fetchInChunks = async (path: string, signal: AbortSignal, onProgress: (share: number) => void): Promise<Uint8Array<ArrayBuffer>> => {
  const first = await ask(path, 0, chunkBytes - 1, signal)
  const total = totalOf(first)
  const all = new Uint8Array(total)
  let filled = fill(all, 0, await first.arrayBuffer())
  while (filled < total) {
    onProgress(filled / total)
    const piece = await ask(path, filled, Math.min(filled + chunkBytes, total) - 1, signal)
    const before = filled
    filled = fill(all, filled, await piece.arrayBuffer())
    if (filled === before) throw new Error('the file ended too early')
  }
  return all
}

const ask = async (path: string, first: number, last: number, signal: AbortSignal): Promise<Response> => {
  const reply = await fetchAsRole(path, { headers: { range: `bytes=${first}-${last}` }, signal })
  if (!reply.ok) throw await refusal(reply)
  return reply
}

/** `bytes 0-99/1234`; a server without ranges sends the whole file. */
const totalOf = ({ headers }: Response): number =>
  Number(/\/(\d+)$/.exec(headers.get('content-range') ?? '')?.[1] ?? headers.get('content-length') ?? 0)

const fill = (all: Uint8Array, at: number, piece: ArrayBuffer): number => {
  all.set(new Uint8Array(piece).subarray(0, all.length - at), at)
  return at + Math.min(piece.byteLength, all.length - at)
}
