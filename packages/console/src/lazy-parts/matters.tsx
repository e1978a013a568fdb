import { Anchor, Group, Stack } from '@mantine/core'
import { Link } from 'wouter'
import { Icon } from '#parts/icon/icon.tsx'

/** Something that a person has to put right, and where. */
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
