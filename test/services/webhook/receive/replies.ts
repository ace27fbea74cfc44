export const success = '{"return_code":0,"return_message":"success","data":{"fail_list":[]}}';
