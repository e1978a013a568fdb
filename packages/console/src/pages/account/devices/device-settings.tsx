import { Select, Stack, Switch } from '@mantine/core'
import { useMay } from '#api/use-may.ts'
import { useRead, useWrite, type OperationId } from '#api/use-service.ts'
import { Section } from '#parts/page/section.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { useText } from '#words/use-text.tsx'
import { onOneLine } from '../addresses/one-line.ts'
import { SavedText } from '../parts/saved-text.tsx'
import { text as accountText } from '../parts/text.ts'
import { CallerId } from './caller-id.tsx'
import type { Device } from './device-state.tsx'
import { DiallingSettings } from './dialling-settings.tsx'
import { ExternalSettings } from './external-settings.tsx'
import { useProblem } from '../parts/use-problem.ts'
import { text } from './text.ts'

const refreshes: readonly OperationId[] = ['getDevice', 'listUserDevices', 'listPhonelineDevices']

/** What can be set for a device; each is saved on its own. */
export const DeviceSettings = ({ device }: { device: Device }) => {
  const say = useText(text)
  const { saved } = useText(accountText)
  const toast = useToast()
  const may = useMay()
  const rename = useWrite('setDeviceAlias', { refreshes, onDone: () => toast.done(saved) })
  const change = useWrite('changeDevice', { refreshes, onDone: () => toast.done(saved) })
  const deviceId = device.id
  const setDnd = (dnd: boolean): void => change.mutate([{ deviceId }, { dnd }], { onError: (error) => toast.failed(error) })
  return (
    <Section title={say.settings}>
      <Stack gap="lg" maw={520}>
        <SavedText
          key={device.alias}
          label={say.name}
          maxLength={100}
          value={device.alias}
          onSave={(value) => rename.mutate([{ deviceId }, { value }])}
          pending={rename.isPending}
          problem={rename.error}
        />
        <Switch
          label={say.dnd}
          description={say.dndHint}
          checked={device.dnd}
          disabled={change.isPending}
          onChange={(event) => setDnd(event.currentTarget.checked)}
        />
        {device.type === 'EXTERNAL' && <ExternalSettings device={device} />}
        {may('CAN_GET_DEVICE_CALLERID') && <CallerId deviceId={deviceId} />}
        {may('CAN_GET_ADDRESSES') && <EmergencyAddress device={device} />}
        {device.type === 'REGISTER' && <DiallingSettings deviceId={deviceId} />}
      </Stack>
    </Section>
  )
}

const unspecified = 'none'

const EmergencyAddress = ({ device: { id: deviceId, emergencyAddressId } }: { device: Device }) => {
  const say = useText(text)
  const { saved } = useText(accountText)
  const toast = useToast()
  const addresses = useRead('listAddresses').data?.items ?? []
  const change = useWrite('changeDevice', { refreshes, onDone: () => toast.done(saved) })
  const choose = (id: string): void => change.mutate([{ deviceId }, { emergencyAddressId: id === unspecified ? null : Number(id) }])
  return (
    <Select
      label={say.emergency}
      description={say.emergencyHint}
      data={[{ value: unspecified, label: say.noEmergency }, ...addresses.map((address) => ({ value: address.id, label: onOneLine(address) }))]}
      value={emergencyAddressId === undefined ? unspecified : String(emergencyAddressId)}
      onChange={(id) => id !== null && choose(id)}
      allowDeselect={false}
      disabled={change.isPending}
      error={useProblem(change.error)}
    />
  )
}
