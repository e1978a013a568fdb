export interface Operator {
  id: string
  email: string
  name: string
}

export interface Operators {
  insert(operator: Operator & { passwordHash: string; createdAt: number }): Promise<boolean>
  list(): Promise<Operator[]>
  find(id: string): Promise<Operator | undefined>
  findCredentials(email: string): Promise<{ id: string; passwordHash: string } | undefined>
}
