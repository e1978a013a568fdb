import { Button, Stack, Text, TextInput } from '@mantine/core'
import type { FormEvent } from 'react'
import { ErrorNotice } from '../parts/error-notice.tsx'
import { useForm } from '../parts/use-form.ts'
import { useText } from '../words/use-text.tsx'
import { text } from './text.ts'

export interface SecondFactorStepProps {
  onCode: (code: string) => void
  pending: boolean
  error: unknown
  onBack: () => void
}

/** What a login is asked for after the password. */
export const SecondFactorStep = ({ onCode, pending, error, onBack }: SecondFactorStepProps) => {
  const say = useText(text)
  const form = useForm({ code: '' })
  const send = (event: FormEvent): void => {
    event.preventDefault()
    event.stopPropagation()
    onCode(form.values.code)
  }
  return (
    <form onSubmit={send}>
      <Stack>
        <Text size="sm">{say.codeLead}</Text>
        <TextInput
          label={say.code}
          autoComplete="one-time-code"
          autoCapitalize="none"
          required
          autoFocus
          withAsterisk={false}
          {...form.text('code')}
        />
        <ErrorNotice error={error} />
        <Button type="submit" loading={pending} size="md">
          {say.logIn}
        </Button>
        <Button variant="subtle" onClick={onBack}>
          {say.back}
        </Button>
      </Stack>
    </form>
  )
}
