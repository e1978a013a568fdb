import { Button, Group, Text } from '@mantine/core'
import { Link, useLocation, useParams } from 'wouter'
import { useMay } from '#api/use-may.ts'
import { useRead } from '#api/use-service.ts'
import { ErrorNotice } from '#parts/form/error-notice.tsx'
import { Icon } from '#parts/icon/icon.tsx'
import { WaitingRows } from '#parts/page/loaded.tsx'
import { Page } from '#parts/page/page.tsx'
import { Section } from '#parts/page/section.tsx'
import { useText } from '#words/use-text.tsx'
import { text as accountText } from '../parts/text.ts'
import { Credentials } from './credentials.tsx'
import { DeviceSettings } from './device-settings.tsx'
import { DeviceSound } from './device-sound.tsx'
import { DeviceState, type Device } from './device-state.tsx'
import { text } from './text.ts'
import { useDeleteDevice } from './use-delete-device.ts'

export const DevicePage = () => {
  const say = useText(text)
  const { deviceId } = useParams<{ deviceId: string }>()
  const device = useRead('getDevice', { deviceId }, { every: 3_000 })
  const back = { to: '/devices', label: say.back }
  if (device.data) return <DeviceContent device={device.data} back={back} />
  return (
    <Page title={say.device} back={back}>
      {device.isError ? <ErrorNotice error={device.error} /> : <WaitingRows />}
    </Page>
  )
}

const DeviceContent = ({ device, back }: { device: Device; back: { to: string; label: string } }) => {
  const say = useText(text)
  const { deviceTypes } = useText(accountText)
  const may = useMay()
  const [, go] = useLocation()
  const remove = useDeleteDevice(() => go('/devices'))
  const description = (
    <Group gap="sm">
      <Text span inherit>
        {deviceTypes[device.type]}
      </Text>
      <DeviceState device={device} />
    </Group>
  )
  const removal = may('CAN_DELETE_DEVICES') && (
    <Button variant="default" leftSection={<Icon name="trash" size={16} />} onClick={() => void remove(device)}>
      {say.deleteConfirm}
    </Button>
  )
  return (
    <Page title={device.alias} description={description} back={back} actions={removal} width="narrow">
      {device.type === 'REGISTER' && <DeviceSound deviceId={device.id} />}
      {device.type === 'REGISTER' && <Credentials device={device} />}
      {device.type === 'MOBILE' && <SimHint />}
      {may('CAN_CHANGE_DEVICES') && <DeviceSettings device={device} />}
    </Page>
  )
}

const SimHint = () => {
  const say = useText(text)
  return (
    <Section title={say.sims} description={say.simsHint}>
      <Button component={Link} href="/sims" variant="light">
        {say.toSims}
      </Button>
    </Section>
  )
}
