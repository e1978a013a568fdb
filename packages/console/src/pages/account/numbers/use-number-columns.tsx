import { Stack, Text } from '@mantine/core'
import type { Column } from '#parts/list/columns.ts'
import { StatusBadge, type Tone } from '#parts/value/status-badge.tsx'
import { useFormat } from '#parts/value/use-format.ts'
import { PhoneNumber } from '#parts/value/values.tsx'
import { useText } from '#words/use-text.tsx'
import { EndpointLabel } from '../parts/endpoint-label.tsx'
import { text as accountText } from '../parts/text.ts'
import type { PhoneNumberRow } from './route-form.tsx'
import { text } from './text.ts'

const tones: Readonly<Record<PhoneNumberRow['state'], Tone>> = {
  ACTIVE: 'good',
  ADDRESS_PENDING: 'warning',
  DEACTIVATED: 'bad',
  PORTING_IN: 'busy',
  PORTED_OUT: 'quiet',
}

export const useNumberColumns = (): Column<PhoneNumberRow>[] => {
  const say = useText(text)
  const { leadsTo } = useText(accountText)
  const { day } = useFormat()
  return [
    {
      key: 'number',
      header: say.number,
      value: ({ number }) => number,
      cell: ({ number, mnpState }) => (
        <Stack gap={0}>
          <PhoneNumber number={number} />
          {mnpState?.isReleased === true && mnpState.releasedUntil !== null && (
            <Text size="xs" c="dimmed">
              {say.released(day(mnpState.releasedUntil))}
            </Text>
          )}
        </Stack>
      ),
    },
    { key: 'leadsTo', header: leadsTo, value: ({ endpointAlias }) => endpointAlias, cell: (number) => <EndpointLabel routed={number} /> },
    { key: 'type', header: say.type, cell: ({ type }) => say.types[type], wideOnly: true },
    {
      key: 'state',
      header: say.state,
      value: ({ state }) => say.states[state],
      cell: ({ state }) => <StatusBadge tone={tones[state]}>{say.states[state]}</StatusBadge>,
    },
  ]
}
