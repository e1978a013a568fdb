import { Anchor, Group, Stack } from '@mantine/core'
import { Link } from 'wouter'
import { Icon } from '#parts/icon/icon.tsx'

/** A problem that a person must fix, and its place. */
export interface Matter {
  words: string
  to: string
}

export const Matters = ({ matters }: { matters: readonly Matter[] }) => (
  <Stack gap="xs">
    {matters.map(({ words, to }) => (
      <Group key={words} gap="xs" wrap="nowrap">
        <Icon name="alert" size={16} />
        <Anchor component={Link} href={to} size="sm">
          {words}
        </Anchor>
      </Group>
    ))}
  </Stack>
)
