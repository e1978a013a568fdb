import { useCallback, useEffect, useRef, useState } from 'react'
import { api } from '#api/client.ts'
import type { InputOf } from '#api/use-service.ts'
import { useToast } from '#parts/dialog/toast.tsx'

export type SampleRequest = InputOf<'makeSpeechSample'>[1]

export type SampleState = 'idle' | 'loading' | 'playing'

/** Plays how a voice sounds, one at a time; asked again while it sounds, it stops. */
export const useSample = (): { state: SampleState; toggle: (input: SampleRequest) => void } => {
  const toast = useToast()
  const [state, setState] = useState<SampleState>('idle')
  const playing = useRef<HTMLAudioElement>(undefined)
  const stop = useCallback(() => {
    const audio = playing.current
    playing.current = undefined
    if (!audio) return
    audio.pause()
    URL.revokeObjectURL(audio.src)
  }, [])
  useEffect(() => stop, [stop])
  const play = async (input: SampleRequest): Promise<void> => {
    setState('loading')
    const sound = await api.makeSpeechSample({}, input)
    const audio = new Audio(URL.createObjectURL(new Blob([new Uint8Array(sound)], { type: 'audio/wav' })))
    playing.current = audio
    audio.addEventListener('ended', () => {
      stop()
      setState('idle')
    })
    setState('playing')
    await audio.play()
  }
  const toggle = (input: SampleRequest): void => {
    if (state === 'idle')
      play(input).catch((error: unknown) => {
        setState('idle')
        toast.failed(error)
      })
    else if (state === 'playing') {
      stop()
      setState('idle')
    }
  }
  return { state, toggle }
}
