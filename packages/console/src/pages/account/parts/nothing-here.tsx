import { Group, Text } from '@mantine/core'
import { Icon, type IconName } from '#parts/icon/icon.tsx'

/** An empty list in a section: smaller than an `EmptyState`, which fills a page. */
export const NothingHere = ({ icon, title, children }: { icon: IconName; title: string; children?: string | undefined }) => (
  <Group gap="sm" px="md" py="sm" wrap="nowrap" c="dimmed">
    <Icon name={icon} />
    <div>
      <Text size="sm" c="var(--mantine-color-text)">
        {title}
      </Text>
      {children !== undefined && <Text size="sm">{children}</Text>}
    </div>
  </Group>
)
