export const minimal = { projectId: 377, eventView: {}, events: [] };
export const users = { ...minimal, sliceGroupVal: ["a"], eventIndex: 0 };
