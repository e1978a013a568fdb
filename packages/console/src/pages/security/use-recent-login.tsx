import { PasswordInput, Text, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import { ApiError } from '../../api/client.ts'
import { challengeIn, logIn } from '../../api/log-in.ts'
import { renewSession, useSession, type Role } from '../../api/session.ts'
import { FormModal } from '../../parts/form-modal.tsx'
import { useForm } from '../../parts/use-form.ts'
import { useText } from '../../words/use-text.tsx'
import { text } from './text.ts'

type Deed = () => Promise<void>

/**
 * What people log in with is changed only soon after a login. `attempt(deed)` does it and, when the login is too old, asks for another one
 * and does it then; `dialog` is to be drawn.
 */
export const useRecentLogin = (role: Role): { attempt: (deed: Deed) => Promise<void>; dialog: ReactNode } => {
  const [waiting, setWaiting] = useState<{ deed: Deed }>()
  const attempt = async (deed: Deed): Promise<void> => {
    try {
      await deed()
    } catch (error) {
      if (!(error instanceof ApiError) || error.body.code !== 'login_too_old') throw error
      setWaiting({ deed })
    }
  }
  const close = (): void => setWaiting(undefined)
  return { attempt, dialog: waiting && <LoginAgain role={role} deed={waiting.deed} onClose={close} /> }
}

const LoginAgain = ({ role, deed, onClose }: { role: Role; deed: Deed; onClose: () => void }) => {
  const say = useText(text)
  const { person } = useSession(role)
  const [challenge, setChallenge] = useState<string>()
  const form = useForm({ password: '', code: '' })
  const { password, code } = form.values
  const enter = useMutation({
    mutationFn: async () => {
      const answer = challenge === undefined ? {} : { challenge, code }
      renewSession(role, (await logIn(role, { email: person, password, ...answer })).token)
      await deed()
    },
    onSuccess: onClose,
    onError: (error) => setChallenge(challengeIn(error)?.challenge ?? challenge),
  })
  const asked = challengeIn(enter.error) !== undefined
  return (
    <FormModal
      opened
      title={say.again}
      submit={say.goOn}
      onClose={onClose}
      onSubmit={() => enter.mutate()}
      pending={enter.isPending}
      error={asked ? undefined : enter.error}
    >
      <Text size="sm">{say.againHint}</Text>
      <PasswordInput label={say.password} autoComplete="current-password" data-autofocus {...form.text('password')} />
      {challenge !== undefined && (
        <TextInput label={say.code} autoComplete="one-time-code" autoCapitalize="none" autoFocus {...form.text('code')} />
      )}
    </FormModal>
  )
}
