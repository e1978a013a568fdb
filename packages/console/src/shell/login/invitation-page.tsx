import { Button, PasswordInput, Stack, TextInput } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useEffect, useState, type FormEvent } from 'react'
import { Link, useLocation, useParams } from 'wouter'
import { clientWith, type LoggedIn } from '#api/log-in.ts'
import { beginSession, type Role } from '#api/session.ts'
import type { OutputOf } from '#api/use-service.ts'
import { ErrorNotice } from '#parts/form/error-notice.tsx'
import { useForm } from '#parts/form/use-form.ts'
import { WaitingRows } from '#parts/page/loaded.tsx'
import { useText } from '#words/use-text.tsx'
import { Door } from './door.tsx'
import { text } from './link-text.ts'

const role: Role = 'user'
const ForcedSetUp = lazy(() => import('./forced-set-up.tsx').then((part) => ({ default: part.ForcedSetUp })))

/** Target of an invitation link: takes a name and a password, then logs in. */
export const InvitationPage = () => {
  const say = useText(text)
  const { nonce } = useParams<{ nonce: string }>()
  const invitation = useQuery({ queryKey: ['invitation', nonce], queryFn: () => clientWith().readInvitation({ nonce }), retry: false })
  useEffect(() => {
    document.title = `${say.invitation} · Offhook`
  }, [say])
  if (invitation.isPending) return <WaitingRows />
  if (invitation.isError)
    return (
      <Door title={say.invalidTitle} lead="">
        <Stack>
          <ErrorNotice error={invitation.error} />
          <Button component={Link} href="/" variant="default">
            {say.toLogin}
          </Button>
        </Stack>
      </Door>
    )
  return (
    <Door title={say.welcome} lead={say.invited(invitation.data.company)}>
      <AcceptForm nonce={nonce} invitation={invitation.data} />
    </Door>
  )
}

const AcceptForm = ({ nonce, invitation }: { nonce: string; invitation: OutputOf<'readInvitation'> }) => {
  const say = useText(text)
  const { email, firstname, lastname } = invitation
  const [, go] = useLocation()
  const [unfinished, setUnfinished] = useState<string>()
  const begin = (token: string): void => {
    beginSession(role, token, email, 'forgotten')
    go('/', { replace: true })
  }
  const accept = useMutation<LoggedIn, Error, { firstname: string; lastname: string; password: string }>({
    mutationFn: (input) => clientWith().acceptInvitation({ nonce }, input),
    onSuccess: ({ token, secondFactorMissing }) => (secondFactorMissing ? setUnfinished(token) : begin(token)),
  })
  const form = useForm({ firstname, lastname, password: '' }, accept.error)
  const send = (event: FormEvent): void => {
    event.preventDefault()
    if (!accept.isPending) accept.mutate(form.values)
  }
  if (unfinished !== undefined)
    return (
      <Suspense fallback={<WaitingRows />}>
        <ForcedSetUp role={role} token={unfinished} onDone={() => begin(unfinished)} />
      </Suspense>
    )
  return (
    <form onSubmit={send} noValidate>
      <Stack>
        <TextInput label={say.email} value={email} readOnly autoComplete="username" />
        <TextInput label={say.firstname} autoComplete="given-name" autoFocus {...form.text('firstname')} />
        <TextInput label={say.lastname} autoComplete="family-name" {...form.text('lastname')} />
        <PasswordInput label={say.password} description={say.passwordHint} autoComplete="new-password" {...form.text('password')} />
        <ErrorNotice error={accept.error} />
        <Button type="submit" loading={accept.isPending} size="md">
          {say.begin}
        </Button>
      </Stack>
    </form>
  )
}
