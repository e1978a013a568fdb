import { ActionIcon } from '@mantine/core'
import { Icon } from '#parts/icon/icon.tsx'
import { useText } from '#words/use-text.tsx'
import { text } from './text.ts'
import { useSample, type SampleWish } from './use-sample.ts'

/** Below a label, beside its field. */
const besideField = 25

/** Lets a voice say something; pressed again, it stops. */
export const SayButton = (wish: SampleWish) => {
  const say = useText(text)
  const { state, toggle } = useSample()
  const label = state === 'playing' ? say.stop : say.play
  return (
    <ActionIcon
      variant="default"
      size={36}
      mt={besideField}
      aria-label={label}
      title={label}
      loading={state === 'loading'}
      disabled={wish.text.trim() === ''}
      onClick={() => toggle(wish)}
    >
      <Icon name={state === 'playing' ? 'stop' : 'play'} size={16} />
    </ActionIcon>
  )
}
