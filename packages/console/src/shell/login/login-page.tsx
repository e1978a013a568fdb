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
import { SignOn } from './sign-on.tsx'
import { text } from '../text.ts'
import { useWrite } from '#api/use-service.ts'
import { FormModal } from '#parts/form/form-modal.tsx'
import { Icon } from '#parts/icon/icon.tsx'
import { passkeysPossible } from '#api/passkeys.ts'
import { PasskeyButton } from '#lazy-parts/passkey-button.tsx'

/** Requests a mail with a link. The reply is the same whether the person exists or not. */
const ForgottenPassword = () => {
  const say = useText(text)
  const [opened, setOpened] = useState(false)
  const [sent, setSent] = useState(false)
  return (
    <>
      <Anchor component="button" type="button" size="sm" onClick={() => setOpened(true)}>
        {say.forgot}
      </Anchor>
      {sent && <Alert icon={<Icon name="mail" />}>{say.resetSent}</Alert>}
      {opened && <ResetForm onClose={() => setOpened(false)} onSent={() => setSent(true)} />}
    </>
  )
}

const ResetForm = ({ onClose, onSent }: { onClose: () => void; onSent: () => void }) => {
  const say = useText(text)
  const request = useWrite('requestPasswordReset', {
    onDone: () => {
      onSent()
      onClose()
    },
  })
  const form = useForm({ username: '' }, request.error)
  return (
    <FormModal
      opened
      title={say.forgot}
      submit={say.sendLink}
      onClose={onClose}
      onSubmit={() => request.mutate([{}, form.values])}
      pending={request.isPending}
      error={request.error}
    >
      <TextInput
        label={say.email}
        description={say.resetHint}
        type="email"
        autoComplete="username"
        data-autofocus
        {...form.text('username')}
      />
    </FormModal>
  )
}

interface SecondFactorStepProps {
  asked: LoginChallenge
  onAnswer: (answer: SecondFactorAnswer) => void
  pending: boolean
  error: unknown
  onBack: () => void
}

/** Second-factor step of a login. */
const SecondFactorStep = ({ asked, onAnswer, pending, error, onBack }: SecondFactorStepProps) => {
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

/** For users and, at /operator, for the operator. Keeps the requested address after the login. */
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
        {role === 'user' && <SignOn email={form.values.email} />}
        {role === 'user' && <ForgottenPassword />}
      </Stack>
    </form>
  )
}
