import { Alert, Anchor, Button, Checkbox, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import type { LoginChallenge, SecondFactorAnswer } from '@offhook/contract/second-factor.ts'
import { useMutation } from '@tanstack/react-query'
import { lazy, Suspense, useEffect, useState, type FormEvent } from 'react'
import { Link } from 'wouter'
import { challengeIn, logIn, type LoggedIn } from '#api/log-in.ts'
import { beginSession, type Role } from '#api/session.ts'
import { ErrorNotice } from '#parts/form/error-notice.tsx'
import { WaitingRows } from '#parts/page/loaded.tsx'
import { useForm, type Form } from '#parts/form/use-form.ts'
import { useText } from '#words/use-text.tsx'
import { Door } from './door.tsx'
import { ForgottenPassword } from './forgotten-password.tsx'
import { SecondFactorStep } from './second-factor-step.tsx'
import { text } from '../text.ts'

/** For users and, at /operator, for the operator. After the login the address that was asked for stays. */
export const LoginPage = ({ role, ended }: { role: Role; ended: boolean }) => {
  const say = useText(text)
  const title = role === 'operator' ? say.operatorTitle : say.logInTitle
  useEffect(() => {
    document.title = `${say.logIn} · Offhook`
  }, [say])
  return (
    <Door title={title} lead={role === 'operator' ? say.operatorLead : say.logInLead} foot={<Foot role={role} />}>
      {ended && <Alert mb="md">{say.ended}</Alert>}
      <LoginForm role={role} />
    </Door>
  )
}

const Foot = ({ role }: { role: Role }) => {
  const say = useText(text)
  return (
    <>
      <Text size="sm" c="dimmed">
        {say.firstTime}
      </Text>
      <Anchor component={Link} href={role === 'operator' ? '/' : '/operator'} size="sm">
        {role === 'operator' ? say.asUser : say.asOperator}
      </Anchor>
    </>
  )
}

const ForcedSetUp = lazy(() => import('./forced-set-up.tsx').then((part) => ({ default: part.ForcedSetUp })))

const LoginForm = ({ role }: { role: Role }) => {
  const form = useForm({ email: '', password: '', stay: true })
  const { email, password, stay } = form.values
  const [asked, setAsked] = useState<LoginChallenge>()
  const [unfinished, setUnfinished] = useState<string>()
  const begin = (token: string): void => beginSession(role, token, email.toLowerCase(), stay ? 'forgotten' : 'closed')
  const enter = useMutation<LoggedIn, Error, SecondFactorAnswer>({
    mutationFn: (answer) => logIn(role, { email, password, ...answer }),
    onSuccess: ({ token, secondFactorMissing }) => (secondFactorMissing ? setUnfinished(token) : begin(token)),
    onError: (error) => setAsked(challengeIn(error) ?? asked),
  })
  const error = challengeIn(enter.error) ? undefined : enter.error
  const start = (): void => {
    enter.reset()
    setAsked(undefined)
  }
  if (unfinished !== undefined)
    return (
      <Suspense fallback={<WaitingRows />}>
        <ForcedSetUp role={role} token={unfinished} onDone={() => begin(unfinished)} />
      </Suspense>
    )
  if (asked) return <SecondFactorStep asked={asked} onAnswer={enter.mutate} pending={enter.isPending} error={error} onBack={start} />
  return <PasswordStep role={role} form={form} pending={enter.isPending} error={error} onSubmit={() => enter.mutate({})} />
}

interface PasswordStepProps {
  role: Role
  form: Form<{ email: string; password: string; stay: boolean }>
  pending: boolean
  error: unknown
  onSubmit: () => void
}

const PasswordStep = ({ role, form, pending, error, onSubmit }: PasswordStepProps) => {
  const say = useText(text)
  const send = (event: FormEvent): void => {
    event.preventDefault()
    if (!pending) onSubmit()
  }
  return (
    <form onSubmit={send}>
      <Stack>
        <TextInput label={say.email} type="email" autoComplete="username" required autoFocus withAsterisk={false} {...form.text('email')} />
        <PasswordInput label={say.password} autoComplete="current-password" required withAsterisk={false} {...form.text('password')} />
        <Checkbox label={say.stay} {...form.tick('stay')} />
        <ErrorNotice error={error} />
        <Button type="submit" loading={pending} size="md">
          {say.logIn}
        </Button>
        {role === 'user' && <ForgottenPassword />}
      </Stack>
    </form>
  )
}
