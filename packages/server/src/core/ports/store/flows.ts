export interface Flows {}
