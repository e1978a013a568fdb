import { PasswordInput, Text, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import type { LoginChallenge, SecondFactorAnswer } from '@offhook/contract/second-factor.ts'
import { useState, type ReactNode } from 'react'
import { ApiError } from '#api/client.ts'
import { challengeIn, logIn } from '#api/log-in.ts'
import { passkeysPossible } from '#api/passkeys.ts'
import { renewSession, useSession, type Role } from '#api/session.ts'
import { FormModal } from '#parts/form/form-modal.tsx'
import { useForm } from '#parts/form/use-form.ts'
import { useText } from '#words/use-text.tsx'
import { PasskeyButton } from './passkey-button.tsx'
import { text } from './second-factor-text.ts'

type Action = () => Promise<void>

/**
 * Credentials can be changed only soon after a login. `attempt(action)` runs it and, if the login is too old, asks for another one and
 * retries; `dialog` must be rendered.
 */
export const useRecentLogin = (role: Role): { attempt: (action: Action) => Promise<void>; dialog: ReactNode } => {
  const [waiting, setWaiting] = useState<{ action: Action }>()
  const attempt = async (action: Action): Promise<void> => {
    try {
      await action()
    } catch (error) {
      if (!(error instanceof ApiError) || error.body.code !== 'login_too_old') throw error
      setWaiting({ action })
    }
  }
  const close = (): void => setWaiting(undefined)
  return { attempt, dialog: waiting && <LoginAgain role={role} action={waiting.action} onClose={close} /> }
}

const LoginAgain = ({ role, action, onClose }: { role: Role; action: Action; onClose: () => void }) => {
  const say = useText(text)
  const { person } = useSession(role)
  const [asked, setAsked] = useState<LoginChallenge>()
  const form = useForm({ password: '', code: '' })
  const { password, code } = form.values
  const enter = useMutation<void, Error, SecondFactorAnswer>({
    mutationFn: async (answer) => {
      renewSession(role, (await logIn(role, { email: person, password, ...answer })).token)
      await action()
    },
    onSuccess: onClose,
    onError: (error) => setAsked(challengeIn(error) ?? asked),
  })
  const question = passkeysPossible() ? asked?.passkey : undefined
  return (
    <FormModal
      opened
      title={say.again}
      submit={say.goOn}
      onClose={onClose}
      onSubmit={() => enter.mutate(asked ? { challenge: asked.challenge, code } : {})}
      pending={enter.isPending}
      error={challengeIn(enter.error) ? undefined : enter.error}
    >
      <Text size="sm">{say.againHint}</Text>
      <PasswordInput label={say.password} autoComplete="current-password" data-autofocus {...form.text('password')} />
      {asked && question && (
        <PasskeyButton
          question={question}
          pending={enter.isPending}
          onAnswer={(passkey) => enter.mutate({ challenge: asked.challenge, passkey })}
        />
      )}
      {asked && (
        <TextInput label={say.code} autoComplete="one-time-code" autoCapitalize="none" autoFocus={!question} {...form.text('code')} />
      )}
    </FormModal>
  )
}
