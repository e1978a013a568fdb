import { ActionIcon } from '@mantine/core'
import { Icon } from '#parts/icon/icon.tsx'
import { useText } from '#words/use-text.tsx'
import { text } from './text.ts'
import { useSample, type SampleRequest } from './use-sample.ts'

/** Below a label, beside its field. */
const besideField = 25

/** A sample may have so many characters. */
const maxSampleLength = 200

export interface SayButtonProps extends SampleRequest {
  /** What is said, where a page has several of them: the label of its field. */
  of?: string
}

/** Lets a voice say something, at least the beginning of it; pressed again, it stops. */
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
