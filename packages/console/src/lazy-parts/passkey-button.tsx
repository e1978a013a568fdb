import { Button, Stack } from '@mantine/core'
import type { PasskeyAnswer, PasskeyQuestion } from '@offhook/contract/passkeys.ts'
import { useMutation } from '@tanstack/react-query'
import { showPasskey } from '../api/passkeys.ts'
import { ErrorNotice } from '../parts/form/error-notice.tsx'
import { useText } from '../words/use-text.tsx'
import { text } from './second-factor-text.ts'

interface PasskeyButtonProps {
  question: PasskeyQuestion
  pending: boolean
  onAnswer: (answer: PasskeyAnswer) => void
}

/** Asks the browser for one of the person's passkeys. */
export const PasskeyButton = ({ question, pending, onAnswer }: PasskeyButtonProps) => {
  const say = useText(text)
  const ask = useMutation({ mutationFn: () => showPasskey(question, say.noPasskey), onSuccess: onAnswer })
  return (
    <Stack>
      <ErrorNotice error={ask.error} />
      <Button variant="default" size="md" loading={pending || ask.isPending} onClick={() => ask.mutate()}>
        {say.usePasskey}
      </Button>
    </Stack>
  )
}
