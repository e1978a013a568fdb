import { Button, Stack, Text, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import type { FormEvent } from 'react'
import { CopyField } from '../parts/dialog/copy-field.tsx'
import { ErrorNotice } from '../parts/form/error-notice.tsx'
import { useForm } from '../parts/form/use-form.ts'
import { useText } from '../words/use-text.tsx'
import type { Factors, NewTotp } from './factors.ts'
import { QrCode } from './qr-code.tsx'
import { text } from './second-factor-text.ts'

export interface TotpSetUpProps {
  factors: Factors
  begun: NewTotp
  /** It is set up; with its recovery codes. */
  onDone: (recoveryCodes: string[]) => void
}

/** Shows the secret of a new authenticator app until the app has shown that it knows it. */
export const TotpSetUp = ({ factors, begun, onDone }: TotpSetUpProps) => {
  const say = useText(text)
  const confirm = useMutation({
    mutationFn: (code: string) => factors.confirmTotp(code),
    onSuccess: ({ recoveryCodes }) => onDone(recoveryCodes),
  })
  const form = useForm({ code: '' }, confirm.error)
  const send = (event: FormEvent): void => {
    event.preventDefault()
    event.stopPropagation()
    confirm.mutate(form.values.code)
  }
  return (
    <form onSubmit={send}>
      <Stack>
        <Text size="sm">{say.scan}</Text>
        <QrCode content={begun.uri} label={say.qrLabel} />
        <CopyField label={say.byHand} value={begun.secret} />
        <TextInput
          label={say.appCode}
          inputMode="numeric"
          autoComplete="one-time-code"
          required
          withAsterisk={false}
          data-autofocus
          {...form.text('code')}
        />
        <ErrorNotice error={confirm.error} />
        <Button type="submit" loading={confirm.isPending}>
          {say.confirm}
        </Button>
      </Stack>
    </form>
  )
}
