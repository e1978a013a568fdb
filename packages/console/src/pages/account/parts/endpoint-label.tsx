import { Anchor, Group, Stack, Text } from '@mantine/core'
import { Link } from 'wouter'
import { useText } from '#words/use-text.tsx'
import { Icon } from '#parts/icon/icon.tsx'
import { endpointIcons, kindOf, pageOfEndpoint } from './endpoints.ts'
import { text } from './text.ts'

interface Routed {
  endpointId: string
  endpointAlias: string
  endpointUrl: string
}

/** Destination of a number: its name, kind, and page. */
export const EndpointLabel = ({ routed: { endpointId, endpointAlias, endpointUrl } }: { routed: Routed }) => {
  const say = useText(text)
  const kind = kindOf(endpointId)
  if (kind === undefined)
    return (
      <Text span inherit c="dimmed">
        {say.nowhere}
      </Text>
    )
  const page = pageOfEndpoint(endpointId, endpointUrl)
  return (
    <Group gap="xs" wrap="nowrap" justify="inherit">
      <Icon name={endpointIcons[kind]} size={16} />
      <Stack gap={0} style={{ minWidth: 0 }}>
        {page === undefined ? (
          <span>{endpointAlias}</span>
        ) : (
          <Anchor component={Link} href={page} inherit>
            {endpointAlias}
          </Anchor>
        )}
        <Text size="xs" c="dimmed">
          {say.kinds[kind]}
        </Text>
      </Stack>
    </Group>
  )
}
