import { Alert, Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useEffect } from 'react'
import { clientWith } from '#api/log-in.ts'
import { beginSession } from '#api/session.ts'
import { ErrorNotice } from '#parts/form/error-notice.tsx'
import { useText } from '#words/use-text.tsx'
import { text } from '../text.ts'

/** In the address after a login at the company's identity provider. */
const mark = '#sign-on='

/** Leads to the identity provider of the e-mail address, and finishes the login when the browser comes back with a ticket. */
export const SignOn = ({ email }: { email: string }) => {
  const say = useText(text)
  const finish = useMutation({
    mutationFn: (ticket: string) => clientWith().createSingleSignOnToken({}, { ticket }),
    onSuccess: ({ token, email: person }) => beginSession('user', token, person.toLowerCase(), 'closed'),
  })
  const { mutate } = finish
  useEffect(() => {
    if (!location.hash.startsWith(mark)) return
    const ticket = decodeURIComponent(location.hash.slice(mark.length))
    history.replaceState(history.state, '', location.pathname)
    mutate(ticket)
  }, [mutate])
  const begin = useMutation({
    mutationFn: () => clientWith().findSingleSignOn({}, { email }),
    onSuccess: ({ url }) => url !== undefined && location.assign(url),
  })
  return (
    <>
      <Button variant="default" loading={begin.isPending || finish.isPending} onClick={() => begin.mutate()}>
        {say.companyLogIn}
      </Button>
      {begin.data && begin.data.url === undefined && <Alert>{say.noCompanyLogIn}</Alert>}
      <ErrorNotice error={begin.error ?? finish.error} />
    </>
  )
}
