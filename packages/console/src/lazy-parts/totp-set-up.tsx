import { Button, Stack, Text, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import type { FormEvent } from 'react'
import { CopyField } from '../parts/dialog/copy-field.tsx'
import { ErrorNotice } from '../parts/form/error-notice.tsx'
import { useForm } from '../parts/form/use-form.ts'
import { useText } from '../words/use-text.tsx'
import { text } from './second-factor-text.ts'
import { encode } from 'uqr'
import classes from './qr-code.module.css'
import type { Client } from '../api/client.ts'
import type { Role } from '../api/session.ts'

interface TotpSetUpProps {
  factors: Factors
  begun: NewTotp
  /** Set up; with its recovery codes. */
  onDone: (recoveryCodes: string[]) => void
}

/** Shows the secret of a new authenticator app until the app has confirmed it. */
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

/** Always dark on white, also on dark pages: cameras expect it. */
export const QrCode = ({ content, label }: { content: string; label: string }) => {
  const { data, size } = encode(content, { ecc: 'M', border: 4 })
  const squares = data.flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : [])))
  return (
    <svg className={classes.code} viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label} shapeRendering="crispEdges">
      <rect width={size} height={size} fill="#fff" />
      <path d={squares.join('')} fill="#000" />
    </svg>
  )
}

export type SecondFactor = Awaited<ReturnType<Client['getSecondFactor']>>
export type NewTotp = Awaited<ReturnType<Client['beginTotp']>>
export type Passkey = Awaited<ReturnType<Client['listPasskeys']>>['items'][number]
type NewPasskey = Parameters<Client['addPasskey']>[1]
type Codes = Awaited<ReturnType<Client['renewRecoveryCodes']>>

/** Operations on one's own second factor. */
export interface Factors {
  show: () => Promise<SecondFactor>
  beginTotp: () => Promise<NewTotp>
  confirmTotp: (code: string) => Promise<Codes>
  removeTotp: () => Promise<void>
  listPasskeys: () => Promise<{ items: Passkey[] }>
  beginPasskey: () => ReturnType<Client['beginPasskey']>
  addPasskey: (passkey: NewPasskey) => ReturnType<Client['addPasskey']>
  removePasskey: (passkeyId: string) => Promise<void>
  renewRecoveryCodes: () => Promise<Codes>
  demand: (demanded: boolean) => Promise<void>
}

/** The same interface for users and operators, who have separate operations. */
export const factorsOf = (role: Role, client: Client): Factors => (role === 'operator' ? ofOperator(client) : ofUser(client))

const ofOperator = (client: Client): Factors => ({
  show: () => client.getOperatorSecondFactor(),
  beginTotp: () => client.beginOperatorTotp(),
  confirmTotp: (code) => client.confirmOperatorTotp({}, { code }),
  removeTotp: () => client.removeOperatorTotp(),
  listPasskeys: () => client.listOperatorPasskeys(),
  beginPasskey: () => client.beginOperatorPasskey(),
  addPasskey: (passkey) => client.addOperatorPasskey({}, passkey),
  removePasskey: (passkeyId) => client.removeOperatorPasskey({ passkeyId }),
  renewRecoveryCodes: () => client.renewOperatorRecoveryCodes(),
  demand: (demanded) => client.demandOperatorSecondFactor({}, { demanded }),
})

const ofUser = (client: Client): Factors => {
  const me = async (): Promise<{ userId: string }> => ({ userId: (await client.getUserInfo()).sub })
  return {
    show: async () => client.getSecondFactor(await me()),
    beginTotp: async () => client.beginTotp(await me()),
    confirmTotp: async (code) => client.confirmTotp(await me(), { code }),
    removeTotp: async () => client.removeTotp(await me()),
    listPasskeys: async () => client.listPasskeys(await me()),
    beginPasskey: async () => client.beginPasskey(await me()),
    addPasskey: async (passkey) => client.addPasskey(await me(), passkey),
    removePasskey: async (passkeyId) => client.removePasskey({ ...(await me()), passkeyId }),
    renewRecoveryCodes: async () => client.renewRecoveryCodes(await me()),
    demand: (demanded) => client.demandSecondFactor({}, { demanded }),
  }
}
