import { Button, Group, Select } from '@mantine/core'
import { useState } from 'react'
import { Link, useParams } from 'wouter'
import { useMay } from '#api/use-may.ts'
import { useRead, useWrite } from '#api/use-service.ts'
import { ErrorNotice } from '#parts/form/error-notice.tsx'
import { Facts } from '#parts/value/facts.tsx'
import { Icon } from '#parts/icon/icon.tsx'
import { WaitingRows } from '#parts/page/loaded.tsx'
import { Page } from '#parts/page/page.tsx'
import { Section } from '#parts/page/section.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { PhoneNumbers } from '#parts/value/values.tsx'
import { languageFor, languageNames } from '#words/languages.ts'
import { useText } from '#words/use-text.tsx'
import { onOneLine } from '../addresses/one-line.ts'
import { fullName, type User } from '#lazy-parts/people.ts'
import { text as accountText } from '../parts/text.ts'
import { useProblem } from '../parts/use-problem.ts'
import { useNumbersOf } from '../parts/use-numbers-of.ts'
import { EditUserForm } from './edit-user-form.tsx'
import { Leaving } from './leaving.tsx'
import { text } from './text.ts'

export const UserPage = () => {
  const say = useText(text)
  const may = useMay()
  const { userId } = useParams<{ userId: string }>()
  const user = useRead('getUser', { userId })
  return (
    <Page title={user.data ? fullName(user.data) : say.user} back={{ to: '/users', label: say.back }} width="narrow">
      {user.isError && <ErrorNotice error={user.error} />}
      {user.isPending && <WaitingRows />}
      {user.data && (
        <>
          <About user={user.data} />
          {may('CAN_CHANGE_DEFAULT_DEVICE') && <DefaultDevice user={user.data} />}
          <Belongings userId={userId} />
          {may('CAN_MANAGE_USERS') && <Leaving user={user.data} />}
        </>
      )}
    </Page>
  )
}

const About = ({ user }: { user: User }) => {
  const say = useText(text)
  const manages = useMay()('CAN_MANAGE_USERS')
  const { id, email, role, active, locale, timezone, addressId } = user
  const [editing, setEditing] = useState(false)
  const numbers = useNumbersOf()(id)
  const addresses = useRead('listAddresses', {}, { when: addressId !== undefined }).data?.items ?? []
  const address = addresses.find(({ id }) => id === addressId)
  return (
    <Section
      title={say.about}
      actions={
        manages && (
          <Button variant="default" onClick={() => setEditing(true)}>
            {say.edit}
          </Button>
        )
      }
    >
      <Facts
        facts={[
          [say.email, email],
          [say.numbers, <PhoneNumbers key="numbers" numbers={numbers} none={say.none} />],
          [say.role, say.roles[role].name],
          [say.state, active ? say.active : say.inactive],
          [say.language, languageNames[languageFor([locale])]],
          [say.timezone, timezone],
          [say.address, address && onOneLine(address)],
        ]}
      />
      {editing && <EditUserForm user={user} onClose={() => setEditing(false)} />}
    </Section>
  )
}

const DefaultDevice = ({ user: { id: userId, defaultDevice } }: { user: User }) => {
  const say = useText(text)
  const { saved } = useText(accountText)
  const toast = useToast()
  const devices = useRead('listUserDevices', { userId }).data?.items ?? []
  const choose = useWrite('setDefaultDevice', { refreshes: ['getUser', 'listUsers'], onDone: () => toast.done(saved) })
  return (
    <Section title={say.defaultDevice} description={say.defaultDeviceHint}>
      <Select
        aria-label={say.defaultDevice}
        placeholder={say.noDevice}
        maw={520}
        data={devices.map(({ id, alias }) => ({ value: id, label: alias }))}
        value={defaultDevice === '' ? null : defaultDevice}
        onChange={(deviceId) => deviceId !== null && choose.mutate([{ userId }, { deviceId }])}
        allowDeselect={false}
        disabled={devices.length === 0 || choose.isPending}
        error={useProblem(choose.error)}
      />
    </Section>
  )
}

const Belongings = ({ userId }: { userId: string }) => {
  const say = useText(text)
  const button = { variant: 'default' } as const
  return (
    <Section title={say.belongings}>
      <Group gap="xs">
        <Button {...button} component={Link} href={`/devices?user=${userId}`} leftSection={<Icon name="device" size={16} />}>
          {say.devices}
        </Button>
        <Button {...button} component={Link} href={`/lines?user=${userId}`} leftSection={<Icon name="line" size={16} />}>
          {say.lines}
        </Button>
      </Group>
    </Section>
  )
}
