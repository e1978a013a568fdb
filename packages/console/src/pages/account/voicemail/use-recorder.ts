import { useEffect, useRef, useState } from 'react'

export interface Recorder {
  state: 'idle' | 'recording' | 'refused'
  start: () => void
  stop: () => void
}

/** Records with the microphone; `onSound` gets the whole recording. Leaving the page switches the microphone off. */
export const useRecorder = (onSound: (sound: Blob) => void): Recorder => {
  const [state, setState] = useState<Recorder['state']>('idle')
  const running = useRef<MediaRecorder>(undefined)
  const stop = (): void => {
    const recorder = running.current
    running.current = undefined
    if (recorder?.state === 'recording') recorder.stop()
    for (const track of recorder?.stream.getTracks() ?? []) track.stop()
    if (recorder) setState('idle')
  }
  const start = async (): Promise<void> => {
    try {
      const recorder = new MediaRecorder(await navigator.mediaDevices.getUserMedia({ audio: true }))
      const pieces: Blob[] = []
      recorder.ondataavailable = ({ data }) => pieces.push(data)
      recorder.onstop = () => onSound(new Blob(pieces, { type: recorder.mimeType }))
      recorder.start()
      running.current = recorder
      setState('recording')
    } catch {
      setState('refused')
    }
  }
  useEffect(
    () => () => {
      for (const track of running.current?.stream.getTracks() ?? []) track.stop()
    },
    [],
  )
  return { state, start: () => void start(), stop }
}
