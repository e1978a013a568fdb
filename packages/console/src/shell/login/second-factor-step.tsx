import { Button, Stack, Text, TextInput } from '@mantine/core'
import type { LoginChallenge, SecondFactorAnswer } from '@offhook/contract/second-factor.ts'
import type { FormEvent } from 'react'
import { passkeysPossible } from '#api/passkeys.ts'
import { ErrorNotice } from '#parts/form/error-notice.tsx'
import { useForm } from '#parts/form/use-form.ts'
import { PasskeyButton } from '#lazy-parts/passkey-button.tsx'
import { useText } from '#words/use-text.tsx'
import { text } from '../text.ts'

export interface SecondFactorStepProps {
  asked: LoginChallenge
  onAnswer: (answer: SecondFactorAnswer) => void
  pending: boolean
  error: unknown
  onBack: () => void
}

/** What a login is asked for after the password. */
export const SecondFactorStep = ({ asked, onAnswer, pending, error, onBack }: SecondFactorStepProps) => {
  const say = useText(text)
  const { challenge, methods } = asked
  const question = passkeysPossible() ? asked.passkey : undefined
  const lead = methods.includes('TOTP') ? say.codeLead : question ? say.passkeyLead : say.passkeyElsewhere
  return (
    <Stack>
      <Text size="sm">{lead}</Text>
      {question && <PasskeyButton question={question} pending={pending} onAnswer={(passkey) => onAnswer({ challenge, passkey })} />}
      {methods.some((method) => method !== 'PASSKEY') && (
        <CodeForm focused={!question} pending={pending} onCode={(code) => onAnswer({ challenge, code })} />
      )}
      <ErrorNotice error={error} />
      <Button variant="subtle" onClick={onBack}>
        {say.back}
      </Button>
    </Stack>
  )
}

const CodeForm = ({ focused, pending, onCode }: { focused: boolean; pending: boolean; onCode: (code: string) => void }) => {
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
        <TextInput
          label={say.code}
          autoComplete="one-time-code"
          autoCapitalize="none"
          required
          autoFocus={focused}
          withAsterisk={false}
          {...form.text('code')}
        />
        <Button type="submit" loading={pending} size="md">
          {say.logIn}
        </Button>
      </Stack>
    </form>
  )
}
