import { Alert, Button, Stack } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useEffect } from 'react'
import { Link, useParams } from 'wouter'
import { queryClient } from '#api/query-client.ts'
import { clientWith } from '#api/log-in.ts'
import { ErrorNotice } from '#parts/form/error-notice.tsx'
import { useText } from '#words/use-text.tsx'
import { Door } from './door.tsx'
import { text } from './link-text.ts'

/** Target of the link sent to a new email address. Needs a button press, because mail scanners open links as well. */
export const EmailPage = () => {
  const say = useText(text)
  const { nonce } = useParams<{ nonce: string }>()
  const confirm = useMutation({
    mutationFn: () => clientWith().confirmEmail({ nonce }),
    onSuccess: () => queryClient.invalidateQueries(),
  })
  useEffect(() => {
    document.title = `${say.newEmail} · Offhook`
  }, [say])
  return (
    <Door title={say.newEmail} lead={say.newEmailLead}>
      <Stack>
        <ErrorNotice error={confirm.error} />
        {confirm.data ? (
          <>
            <Alert role="status">{say.confirmed(confirm.data.email)}</Alert>
            <Button component={Link} href="/">
              {say.toLogin}
            </Button>
          </>
        ) : (
          <Button onClick={() => confirm.mutate()} loading={confirm.isPending}>
            {say.confirm}
          </Button>
        )}
      </Stack>
    </Door>
  )
}
