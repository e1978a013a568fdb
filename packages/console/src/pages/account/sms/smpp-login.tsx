import { Button, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useRead, useWrite, type OutputOf } from '#api/use-service.ts'
import { useConfirm } from '#parts/dialog/confirm.tsx'
import { CopyField } from '#parts/dialog/copy-field.tsx'
import { ErrorNotice } from '#parts/form/error-notice.tsx'
import { WaitingRows } from '#parts/page/loaded.tsx'
import { SecretModal } from '#parts/dialog/secret-modal.tsx'
import { Section } from '#parts/page/section.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { useText } from '#words/use-text.tsx'
import { text as accountText } from '../parts/text.ts'
import { text } from './text.ts'

/** An SMS line and its user, as in the service's paths. */
export interface LineId {
  userId: string
  smsId: string
}

/** SMPP credentials of a line. Loaded on demand: most lines have none. */
export const SmppLogin = ({ line }: { line: LineId }) => {
  const say = useText(text)
  const [wanted, setWanted] = useState(false)
  return (
    <Section title={say.smpp} description={say.smppHint}>
      {wanted ? (
        <Login line={line} />
      ) : (
        <Button variant="default" onClick={() => setWanted(true)}>
          {say.showSmpp}
        </Button>
      )}
    </Section>
  )
}

const Login = ({ line }: { line: LineId }) => {
  const say = useText(text)
  const login = useRead('getSmppLogin', { ...line })
  const [secret, setSecret] = useState<OutputOf<'createSmppLogin'>>()
  const create = useWrite('createSmppLogin', { refreshes: ['getSmppLogin'], onDone: setSecret })
  const none = login.error?.body.code === 'smpp_login_not_found'
  if (login.isPending) return <WaitingRows count={2} />
  return (
    <Stack>
      {none ? <Text size="sm">{say.noSmpp}</Text> : <ErrorNotice error={login.error} />}
      {!none && login.data && <Present line={line} login={login.data} onRenew={() => create.mutate([{ ...line }])} />}
      {none && (
        <div>
          <Button loading={create.isPending} onClick={() => create.mutate([{ ...line }])}>
            {say.createSmpp}
          </Button>
        </div>
      )}
      <ErrorNotice error={create.error} />
      <SecretModal
        title={say.smppLogin}
        secrets={
          secret && [
            { label: say.systemId, value: secret.systemId },
            { label: say.password, value: secret.password },
          ]
        }
        onClose={() => setSecret(undefined)}
      />
    </Stack>
  )
}

interface PresentProps {
  line: LineId
  login: OutputOf<'getSmppLogin'>
  onRenew: () => void
}

const Present = ({ line, login: { systemId, addresses }, onRenew }: PresentProps) => {
  const say = useText(text)
  const { deleted } = useText(accountText)
  const toast = useToast()
  const confirm = useConfirm()
  const remove = useWrite('deleteSmppLogin', { refreshes: ['getSmppLogin'], onDone: () => toast.done(deleted) })
  const askRenew = async (): Promise<void> => {
    if (await confirm({ title: say.renewTitle, body: say.renewBody, confirm: say.renewSmpp })) onRenew()
  }
  const askRemove = async (): Promise<void> => {
    if (await confirm({ title: say.deleteSmppTitle, body: say.deleteSmppBody, confirm: say.deleteSmpp }))
      remove.mutate([{ ...line }], { onError: toast.failed })
  }
  return (
    <Stack maw={520}>
      <CopyField label={say.systemId} value={systemId} />
      {addresses.map((address) => (
        <CopyField key={address} label={say.addresses} value={address} />
      ))}
      <Group gap="xs">
        <Button variant="default" onClick={() => void askRenew()}>
          {say.renewSmpp}
        </Button>
        <Button variant="default" onClick={() => void askRemove()}>
          {say.deleteSmpp}
        </Button>
      </Group>
    </Stack>
  )
}
