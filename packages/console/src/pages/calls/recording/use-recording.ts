import { useCallback, useEffect, useRef, useState } from 'react'
import { fetchInChunks, sizeOf } from './fetch-in-pieces.ts'
import { wavPicture, type WavPicture } from './wav-peaks.ts'

/** Shorter ones are fetched without being asked for: some ten minutes. */
const concurrentFetched = 20_000_000

export type RecordingState =
  | { state: 'looking' }
  | { state: 'waiting'; bytes: number }
  | { state: 'loading'; share: number }
  | { state: 'ready'; url: string; picture: WavPicture }
  | { state: 'failed'; error: unknown }

/** The sound of a recording, as far as it has come. */
export const useRecording = (recordingId: string): { recording: RecordingState; load: () => void } => {
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
      if (bytes <= concurrentFetched) await fetchIt()
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
