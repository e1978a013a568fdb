import { ActionIcon } from '@mantine/core'
import { Icon } from '#parts/icon/icon.tsx'
import { useText } from '#words/use-text.tsx'
import { useCallback, useEffect, useRef, useState } from 'react'
import { api } from '#api/client.ts'
import type { InputOf } from '#api/use-service.ts'
import { useToast } from '#parts/dialog/toast.tsx'
import { text } from './text.ts'

/** Pixels below a label, next to its field. */
const besideField = 25

/** Maximum characters of a sample. */
const maxSampleLength = 200

interface SayButtonProps extends SampleRequest {
  /** Label of the field, if a page has several buttons. */
  of?: string
}

/** Plays the beginning of a text in a voice; pressed again, it stops. */
export const SayButton = ({ of, ...input }: SayButtonProps) => {
  const say = useText(text)
  const { state, toggle } = useSample()
  const does = state === 'playing' ? say.stop : say.play
  const label = of === undefined ? does : `${does}: ${of}`
  return (
    <ActionIcon
      variant="default"
      size={36}
      mt={besideField}
      aria-label={label}
      title={label}
      loading={state === 'loading'}
      disabled={input.text.trim() === ''}
      onClick={() => toggle({ ...input, text: input.text.slice(0, maxSampleLength) })}
    >
      <Icon name={state === 'playing' ? 'stop' : 'play'} size={16} />
    </ActionIcon>
  )
}

type SampleRequest = InputOf<'makeSpeechSample'>[1]

type SampleState = 'idle' | 'loading' | 'playing'

/** Plays voice samples, one at a time; toggles while playing. */
const useSample = (): { state: SampleState; toggle: (input: SampleRequest) => void } => {
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
