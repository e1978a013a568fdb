import { Select, TextInput } from '@mantine/core'
import { useQueries } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import { api } from '#api/client.ts'
import { useRead } from '#api/use-service.ts'
import { useFormat } from '#parts/value/use-format.ts'
import { useText } from '#words/use-text.tsx'
import { kindOf } from '../parts/endpoints.ts'
import { text as accountText } from '../parts/text.ts'
import { TargetPicker } from '../parts/target-picker.tsx'
import { useTarget, type Target } from '../parts/target-picker.tsx'
import { text } from './forwarding-text.ts'

/** Forwarding destinations: an external number, the line's own voicemail, or something else of the account. */
const ways = ['number', 'ownVoicemail', 'inside'] as const
type Way = (typeof ways)[number]

const wayOf = (destination: string): Way =>
  destination === 'voicemail' ? 'ownVoicemail' : /^[pgv]\d+$/.test(destination) ? 'inside' : 'number'

interface Destination {
  way: Way
  number: string
  target: Target
  /** In the service's format. */
  value: string
  setWay: (way: Way) => void
  setNumber: (number: string) => void
}

export const useDestination = (initial: string): Destination => {
  const [way, setWay] = useState(wayOf(initial))
  const [number, setNumber] = useState(way === 'number' ? initial : '')
  const target = useTarget({ endpointId: way === 'inside' ? initial : '', endpointUrl: '' }, 'line')
  const value = way === 'number' ? number : way === 'ownVoicemail' ? 'voicemail' : target.endpointId
  return { way, number, target, value, setWay, setNumber }
}

/** `parallel`: excludes voicemails, which would always answer first. */
export const DestinationField = ({ of, parallel = false, error }: { of: Destination; parallel?: boolean; error?: ReactNode }) => {
  const say = useText(text)
  const { kinds } = useText(accountText)
  const labels: Record<Way, string> = { number: say.number, ownVoicemail: say.ownVoicemail, inside: `${kinds.line}, ${kinds.group} …` }
  return (
    <>
      <Select
        label={say.whereTo}
        data={ways.filter((way) => !parallel || way !== 'ownVoicemail').map((way) => ({ value: way, label: labels[way] }))}
        value={of.way}
        onChange={(chosen) => of.setWay(ways.find((way) => way === chosen) ?? 'number')}
        allowDeselect={false}
        error={of.way === 'ownVoicemail' ? error : undefined}
      />
      {of.way === 'number' && (
        <TextInput
          label={say.number}
          type="tel"
          placeholder="+49 30 1234567"
          required
          maxLength={40}
          value={of.number}
          onChange={(event) => of.setNumber(event.currentTarget.value)}
          error={error}
        />
      )}
      {of.way === 'inside' && (
        <TargetPicker target={of.target} kinds={parallel ? ['line', 'group'] : ['line', 'group', 'voicemail']} error={error} />
      )}
    </>
  )
}

/** Names of destinations. Lines of other users are requested only if one is a destination. */
export const useDestinationNames = (destinations: readonly string[]): ((destination: string) => string) => {
  const say = useText(text)
  const { kinds } = useText(accountText)
  const { phone } = useFormat()
  const lines = destinations.some((one) => kindOf(one) === 'line')
  const groups = useRead('listGroups', {}, { when: destinations.some((one) => kindOf(one) === 'group') }).data?.items ?? []
  const users = useRead('listUsers', {}, { when: lines }).data?.items ?? []
  const owned = useQueries({
    queries: users.map(({ id: userId }) => ({
      queryKey: ['listPhonelines', { userId }],
      queryFn: () => api.listPhonelines({ userId }),
      enabled: lines,
    })),
  })
  const known = new Map([...groups, ...owned.flatMap(({ data }) => data?.items ?? [])].map(({ id, alias }) => [id, alias]))
  return (destination) => {
    if (destination === 'voicemail') return say.ownVoicemail
    const kind = /^[a-z]\d+$/.test(destination) ? kindOf(destination) : undefined
    return kind === undefined ? phone(destination) : `${kinds[kind]} ${known.get(destination) ?? destination}`
  }
}
