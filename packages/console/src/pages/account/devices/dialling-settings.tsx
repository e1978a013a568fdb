import { Switch } from '@mantine/core'
import { useMay } from '#api/use-may.ts'
import { useRead, useWrite } from '#api/use-service.ts'
import { useToast } from '#parts/dialog/toast.tsx'
import { useText } from '#words/use-text.tsx'
import { SavedText } from '../parts/saved-text.tsx'
import { text as accountText } from '../parts/text.ts'
import { text } from './text.ts'

/** How a SIP phone dials and what it shows. */
export const DiallingSettings = ({ deviceId }: { deviceId: string }) => {
  const may = useMay()
  return (
    <>
      <LocalPrefix deviceId={deviceId} />
      <SingleRow deviceId={deviceId} />
      {may('CAN_CHANGE_TARIFF_ANNOUNCEMENT') && <TariffAnnouncement deviceId={deviceId} />}
    </>
  )
}

const LocalPrefix = ({ deviceId }: { deviceId: string }) => {
  const say = useText(text)
  const { saved } = useText(accountText)
  const toast = useToast()
  const { data } = useRead('getLocalPrefix', { deviceId })
  const change = useWrite('setLocalPrefix', { refreshes: ['getLocalPrefix'], onDone: () => toast.done(saved) })
  if (!data) return null
  const { value, active } = data
  return (
    <>
      <SavedText
        key={value}
        label={say.localPrefix}
        description={say.localPrefixHint}
        inputMode="numeric"
        maxLength={10}
        value={value}
        onSave={(typed) => change.mutate([{ deviceId }, { value: typed, active: typed !== '' }])}
        pending={change.isPending}
        problem={change.error}
      />
      {value !== '' && (
        <Switch
          label={say.localPrefixOn}
          checked={active}
          disabled={change.isPending}
          onChange={(event) => change.mutate([{ deviceId }, { value, active: event.currentTarget.checked }])}
        />
      )}
    </>
  )
}

const SingleRow = ({ deviceId }: { deviceId: string }) => {
  const say = useText(text)
  const { saved } = useText(accountText)
  const toast = useToast()
  const { data } = useRead('getSingleRowDisplay', { deviceId })
  const change = useWrite('setSingleRowDisplay', { refreshes: ['getSingleRowDisplay'], onDone: () => toast.done(saved) })
  return (
    <Switch
      label={say.singleRow}
      description={say.singleRowHint}
      checked={data?.enabled ?? false}
      disabled={!data || change.isPending}
      onChange={(event) =>
        change.mutate([{ deviceId }, { enabled: event.currentTarget.checked }], { onError: (error) => toast.failed(error) })
      }
    />
  )
}

const TariffAnnouncement = ({ deviceId }: { deviceId: string }) => {
  const say = useText(text)
  const { saved } = useText(accountText)
  const toast = useToast()
  const { data } = useRead('getTariffAnnouncement', { deviceId })
  const change = useWrite('setTariffAnnouncement', { refreshes: ['getTariffAnnouncement'], onDone: () => toast.done(saved) })
  return (
    <Switch
      label={say.tariff}
      checked={data?.enabled ?? false}
      disabled={!data || change.isPending}
      onChange={(event) =>
        change.mutate([{ deviceId }, { enabled: event.currentTarget.checked }], { onError: (error) => toast.failed(error) })
      }
    />
  )
}
